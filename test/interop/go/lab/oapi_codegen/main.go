// Lets the client of oapi-codegen call the cases of the laboratory.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"galaxy.test/interop/build/lab/oapi-codegen/client"
	. "galaxy.test/interop/lab"
)

func main() {
	methods := reflect.ValueOf(Must(client.NewClientWithResponses(URL())))
	Run(func(operation string, c Case, body Body) (answer Answer, err error) {
		method, isTyped := Method(methods, operation+"(with.+body)?withresponse")
		arguments := []reflect.Value{reflect.ValueOf(context.Background())}
		// Of any type, or absent.
		anyBody, takesAny := Method(methods, operation+"withbodywithresponse")
		if takesAny && (body == nil || !isTyped) {
			method = anyBody
			arguments, err = appendBytes(arguments, body)
		} else if isTyped {
			arguments, err = appendTyped(arguments, method.Type(), c, body)
		} else {
			err = fmt.Errorf("the client has no %s", operation)
		}
		if err != nil {
			return answer, err
		}
		results := method.Call(arguments)
		if err, failed := results[1].Interface().(error); failed {
			return answer, err
		}
		return answerOf(results[0]), nil
	})
}

func appendBytes(arguments []reflect.Value, body Body) ([]reflect.Value, error) {
	mediaType, reader := "", reflect.Zero(reflect.TypeFor[io.Reader]())
	if body != nil {
		var content []byte
		if err := body(reflect.ValueOf(&content).Elem()); err != nil {
			return nil, err
		}
		mediaType, reader = "application/octet-stream", reflect.ValueOf(bytes.NewReader(content))
	}
	return append(arguments, reflect.ValueOf(mediaType), reader), nil
}

// appendTyped appends the parameters of the path as they stand there, the others as a struct, and the body.
func appendTyped(arguments []reflect.Value, method reflect.Type, c Case, body Body) ([]reflect.Value, error) {
	inPath, others := c.Parted("path")
	slices.SortFunc(inPath, func(one, other Parameter) int {
		return strings.Index(c.Path, "{"+one.Name+"}") - strings.Index(c.Path, "{"+other.Name+"}")
	})
	for i := 1; i < method.NumIn()-1; i++ {
		argument := reflect.New(method.In(i)).Elem()
		var err error
		if len(inPath) > 0 {
			err = Decode(argument, inPath[0].Value)
			inPath = inPath[1:]
		} else if strings.HasSuffix(argument.Type().String(), "Params") {
			argument.Set(reflect.New(argument.Type().Elem()))
			err = DecodeMembers(argument.Elem(), others)
		} else {
			err = body(argument)
		}
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, argument)
	}
	return arguments, nil
}

// answerOf has the bodies and headers that were decoded, and the bytes.
func answerOf(result reflect.Value) (answer Answer) {
	answer.Status = int(result.MethodByName("StatusCode").Call(nil)[0].Int())
	for field, value := range result.Elem().Fields() {
		if field.Name != "HTTPResponse" {
			answer.Values = append(answer.Values, value)
		}
	}
	return answer
}
