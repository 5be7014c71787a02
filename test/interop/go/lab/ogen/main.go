// Lets the client of ogen call the cases of the laboratory.
package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"galaxy.test/interop/build/lab/ogen/client"
	. "galaxy.test/interop/lab"
)

func main() {
	methods := reflect.ValueOf(Must(client.NewClient(URL())))
	Run(func(operation string, c Case, body Body) (answer Answer, err error) {
		method, has := Method(methods, operation)
		if !has {
			return answer, fmt.Errorf("the client has no %s", operation)
		}
		arguments := []reflect.Value{reflect.ValueOf(context.Background())}
		for i := 1; i < method.Type().NumIn(); i++ {
			argument := reflect.New(method.Type().In(i)).Elem()
			target := argument
			if target.Kind() == reflect.Pointer {
				target.Set(reflect.New(target.Type().Elem()))
				target = target.Elem()
			}
			if strings.HasSuffix(target.Type().String(), "Params") {
				err = DecodeMembers(target, c.Parameters)
			} else if body != nil {
				err = body(target)
			}
			if err != nil {
				return answer, err
			}
			arguments = append(arguments, argument)
		}
		results := method.Call(arguments)
		if err, failed := results[len(results)-1].Interface().(error); failed {
			return answer, err
		}
		if len(results) == 1 {
			return Answer{Status: 204}, nil
		}
		return answerOf(Bare(results[0])), nil
	})
}

// statuses are those of the responses that are types of the client.
var statuses = map[string]int{
	"ResponseTwoSuccessesDone":     200,
	"ResponseTwoSuccessesAccepted": 202,
	"ResponseProblemProblem":       404,
}

// answerOf has the body. The status, if the document names none, and the headers stand beside it.
func answerOf(result reflect.Value) Answer {
	answer := Answer{Status: statuses[result.Type().Name()], Values: []reflect.Value{result}}
	if status := Member(result, "StatusCode"); status.IsValid() {
		answer.Status = int(status.Int())
	}
	if body := Member(result, "Response"); body.IsValid() {
		answer.Values = append(answer.Values, body)
	}
	return answer
}
