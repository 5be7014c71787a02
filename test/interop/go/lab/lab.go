// Package lab lets a generated client call the cases of the laboratory. It knows of the client what reflection says.
package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Case is a case of the catalogue.
type Case struct {
	ID          string
	OperationID string
	Path        string
	Parameters  []Parameter `json:"-"`
	// Without it, the case has no body.
	MediaType string
	Body      any
}

// Parameter is one that the case gives. They are in the order of the document.
type Parameter struct {
	In, Name string
	Value    any
}

// Body writes the body to a value of the type that the client wants. It is nil if there is none.
type Body func(target reflect.Value) error

// Answer is what the client made of a response: the status, and everything that it decoded.
type Answer struct {
	Status int
	Values []reflect.Value
}

// Client calls the operation with this operationId.
type Client func(operationID string, c Case, body Body) (Answer, error)

// URL returns the bench, which the client calls, whatever server the document names.
func URL() string { return os.Getenv("LAB_URL") }

// Run calls each case that LAB_SKIP does not name. It writes a line of JSON for each that returns an error or panics.
func Run(client Client) {
	skip := strings.Split(os.Getenv("LAB_SKIP"), ",")
	for _, c := range catalogue() {
		if slices.Contains(skip, c.ID) || slices.Contains(skip, c.group()+"/*") {
			continue
		}
		if err := client.run(c); err != nil {
			message, _, _ := strings.Cut(err.Error(), "\n")
			fmt.Println(string(Must(json.Marshal(map[string]string{"case": c.ID, "error": message}))))
		}
	}
}

func (c Case) group() string { return path.Dir(c.ID) }

func (client Client) run(c Case) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	if c.ID == "retry/post-once" {
		if _, err := client("retryPostOnceFirst", Case{}, nil); err != nil {
			return err
		}
	}
	var body Body
	if c.MediaType != "" {
		body = func(target reflect.Value) error { return Decode(target, c.Body) }
	}
	answer, err := client(c.OperationID, c, body)
	isReported := c.group() == "response" && c.ID != "response/accept"
	if err == nil && !isReported && answer.Status >= 400 {
		return fmt.Errorf("the response has the status %d", answer.Status)
	}
	if err != nil || !isReported {
		return err
	}
	_, err = client(c.OperationID+"Report", Case{}, answer.report)
	return err
}

// report writes what the client has decoded: the very value, or the members that the report has.
func (answer Answer) report(target reflect.Value) error {
	for _, value := range answer.Values {
		if assign(target, value) {
			return nil
		}
	}
	if target.Kind() != reflect.Struct {
		return fmt.Errorf("the response has no %s", target.Type())
	}
	for field, value := range target.Fields() {
		if field.Name == "Status" {
			value.SetInt(int64(answer.Status))
		} else if !answer.assignMember(value, field.Name) {
			return fmt.Errorf("the response has no %s", field.Name)
		}
	}
	return nil
}

// assignMember writes a member of the body, or a header.
func (answer Answer) assignMember(target reflect.Value, name string) bool {
	return slices.ContainsFunc(answer.Values, func(value reflect.Value) bool {
		return assign(target, Member(value, name)) || assign(target, Member(value, "X"+name))
	})
}

// Member returns a field of a struct, or of what a pointer to one points to. It is not valid if there is none.
func Member(value reflect.Value, name string) reflect.Value {
	if value = Bare(value); value.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return value.FieldByName(name)
}

// Bare is what pointers point to and interfaces hold. It is not valid if that is nil.
func Bare(value reflect.Value) reflect.Value {
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
		value = value.Elem()
	}
	return value
}

// assign writes a value of the type of the target, or one that a pointer, an interface or an optional value holds.
func assign(target, value reflect.Value) bool {
	for value.IsValid() {
		if value.Type().AssignableTo(target.Type()) {
			target.Set(value)
			return true
		}
		if value.Type() == reflect.TypeFor[[]byte]() && target.Kind() == reflect.String {
			target.SetString(string(value.Bytes()))
			return true
		}
		switch value.Kind() {
		case reflect.Pointer, reflect.Interface:
			value = value.Elem()
		case reflect.Struct:
			// Optional and nullable types.
			get := value.MethodByName("Get")
			if !get.IsValid() || get.Type().NumIn() > 0 {
				return false
			}
			value = get.Call(nil)[0]
		default:
			return false
		}
	}
	return false
}

// Method finds the one whose name, in any case, is of the pattern.
func Method(of reflect.Value, pattern string) (reflect.Value, bool) {
	named := regexp.MustCompile("^(?i:" + pattern + ")$")
	for method, value := range of.Methods() {
		if named.MatchString(method.Name) {
			return value, true
		}
	}
	return reflect.Value{}, false
}

// Parted returns the parameters there, and the others.
func (c Case) Parted(in string) (there, others []Parameter) {
	for _, one := range c.Parameters {
		if one.In == in {
			there = append(there, one)
		} else {
			others = append(others, one)
		}
	}
	return there, others
}

func catalogue() (cases []Case) {
	response := Must(http.Get(URL() + "/../../cases"))
	defer response.Body.Close()
	var all struct {
		Cases []struct {
			Case
			Input struct {
				Parameters map[string]json.RawMessage
				Body       struct {
					MediaType string
					Value     any
				}
			}
		}
	}
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	check(decoder.Decode(&all))
	for _, entry := range all.Cases {
		c, input := entry.Case, entry.Input
		for _, in := range []string{"path", "query", "header", "cookie"} {
			for name, value := range membersInOrder(input.Parameters[in]) {
				c.Parameters = append(c.Parameters, Parameter{in, name, untagged(c.ID, value)})
			}
		}
		c.MediaType, c.Body = input.Body.MediaType, untagged(c.ID, input.Body.Value)
		cases = append(cases, c)
	}
	return cases
}

// membersInOrder returns those of a JSON object.
func membersInOrder(object json.RawMessage) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		decoder := json.NewDecoder(bytes.NewReader(object))
		decoder.UseNumber()
		if _, err := decoder.Token(); err == io.EOF {
			return
		}
		for decoder.More() {
			name := Must(decoder.Token()).(string)
			var value any
			check(decoder.Decode(&value))
			if !yield(name, value) {
				return
			}
		}
	}
}

// Must panics if there is an error.
func Must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
