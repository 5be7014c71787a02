// Lets the client of openapi-generator call the cases of the laboratory.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"galaxy.test/interop/build/lab/openapi-generator-go/client"
	. "galaxy.test/interop/lab"
)

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: URL()}}
	services := reflect.ValueOf(client.NewAPIClient(configuration)).Elem()
	Run(func(operation string, c Case, body Body) (Answer, error) {
		for field, service := range services.Fields() {
			if !field.IsExported() {
				continue
			}
			if method, has := Method(service, operation); has {
				return call(method, c, body)
			}
		}
		return Answer{}, fmt.Errorf("the client has no %s", operation)
	})
}

// call gives the method the parameters of the path, and each other one to a method of the request that it returns.
func call(method reflect.Value, c Case, body Body) (answer Answer, err error) {
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	inPath, others := c.Parted("path")
	for i, one := range inPath {
		argument := reflect.New(method.Type().In(i + 1)).Elem()
		err = errors.Join(err, Decode(argument, one.Value))
		arguments = append(arguments, argument)
	}
	request := method.Call(arguments)[0]
	names := []string{}
	for method := range request.Methods() {
		names = append(names, method.Name)
	}
	if object, isObject := c.Body.(map[string]any); isObject && strings.Contains(c.MediaType, "form") {
		others, body = append(others, Members(object)...), nil
	}
	found, findErr := Find(names, others)
	if err := errors.Join(err, findErr); err != nil {
		return answer, err
	}
	for i, name := range names {
		parameter, isParameter := found[i]
		if name == "Execute" || !isParameter && body == nil {
			continue
		}
		set := request.MethodByName(name)
		argument := reflect.New(set.Type().In(0)).Elem()
		if isParameter {
			err = Decode(argument, parameter.Value)
		} else {
			err = body(argument)
		}
		if err != nil {
			return answer, err
		}
		request = set.Call([]reflect.Value{argument})[0]
	}
	return answerOf(request.MethodByName("Execute").Call(nil))
}

// answerOf has the body, also of an error that the document describes, and the headers, which the client does not read.
func answerOf(results []reflect.Value) (answer Answer, err error) {
	last := len(results) - 1
	if response, _ := results[last-1].Interface().(*http.Response); response != nil {
		answer.Status = response.StatusCode
		answer.Values = append(results[:last-1], reflect.ValueOf(headersOf(response.Header)))
	}
	var described *client.GenericOpenAPIError
	if err, _ = results[last].Interface().(error); errors.As(err, &described) && described.Model() != nil {
		answer.Values = []reflect.Value{reflect.ValueOf(described.Model())}
		err = nil
	}
	return answer, err
}

type headers struct {
	Colors []string
	Count  int32
	Since  time.Time
}

func headersOf(header http.Header) (of headers) {
	of.Colors = strings.Split(header.Get("X-Colors"), ",")
	count, _ := strconv.Atoi(header.Get("X-Count"))
	of.Count = int32(count)
	of.Since, _ = time.Parse(time.RFC3339, header.Get("X-Since"))
	return of
}
