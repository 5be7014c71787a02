package lab

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Decode writes a value of the catalogue to one of a type of the client, with the decoder of the type if it has one.
func Decode(target reflect.Value, value any) error {
	if sent, isFile := value.(file); isFile {
		return sent.write(target)
	}
	pointer := target.Addr()
	if done, err := decodeOptional(pointer, value); done {
		return err
	}
	text, isText := value.(string)
	if isText && target.Type() == reflect.TypeFor[time.Time]() && len(text) == len(time.DateOnly) {
		value = text + "T00:00:00Z"
	}
	if isText && isBody(target.Type()) {
		return file{bytes: []byte(text)}.write(target)
	}
	_, hasDecoder := pointer.Interface().(json.Unmarshaler)
	members, isObject := value.(map[string]any)
	items, isArray := value.([]any)
	switch kind := target.Kind(); {
	case kind == reflect.Pointer && value != nil:
		target.Set(reflect.New(target.Type().Elem()))
		return Decode(target.Elem(), value)
	case kind == reflect.Struct && isObject && !hasDecoder:
		return DecodeMembers(target, Members(members))
	case kind == reflect.Slice && isArray && !hasDecoder:
		target.Set(reflect.MakeSlice(target.Type(), len(items), len(items)))
		for i, item := range items {
			if err := Decode(target.Index(i), item); err != nil {
				return err
			}
		}
		return nil
	case kind == reflect.Slice && target.Type().Name() == "Raw":
		// JSON that ogen leaves as it is.
		target.SetBytes(Must(json.Marshal(value)))
		return nil
	case value == nil && !hasDecoder && !slices.Contains(nullable, kind):
		return fmt.Errorf("%s cannot be null", target.Type())
	}
	return json.Unmarshal(Must(json.Marshal(value)), pointer.Interface())
}

var nullable = []reflect.Kind{reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice}

// decodeOptional writes the optional and nullable types of ogen.
func decodeOptional(pointer reflect.Value, value any) (done bool, err error) {
	null, set := pointer.MethodByName("SetToNull"), pointer.MethodByName("SetTo")
	switch {
	case value == nil && null.IsValid():
		null.Call(nil)
	case value != nil && set.IsValid():
		inner := reflect.New(set.Type().In(0)).Elem()
		err = Decode(inner, value)
		set.Call([]reflect.Value{inner})
	default:
		return false, nil
	}
	return true, err
}

// DecodeMembers writes parameters, or members of an object, to the fields of a struct.
func DecodeMembers(target reflect.Value, all []Parameter) error {
	names := make([]string, target.NumField())
	for i := range names {
		field := target.Type().Field(i)
		names[i], _, _ = strings.Cut(field.Tag.Get("json"), ",")
		if names[i] == "" {
			names[i] = field.Name
		}
	}
	found, err := Find(names, all)
	for i, one := range found {
		err = errors.Join(err, Decode(target.Field(i), one.Value))
	}
	return err
}

// Members returns those of an object.
func Members(object map[string]any) (all []Parameter) {
	for name, value := range object {
		all = append(all, Parameter{"", name, value})
	}
	return all
}

// Find says which parameter each name of the client means. Generators change case and signs, put the place of a parameter
// before its name, and a number after the second of a name.
func Find(names []string, all []Parameter) (map[int]Parameter, error) {
	found := map[int]Parameter{}
	for _, one := range all {
		similar := regexp.MustCompile("^(" + one.In + ")?" + plain(one.Name) + `\d*$`)
		at := slices.Index(names, one.Name)
		for i, name := range names {
			if _, taken := found[i]; at < 0 && !taken && similar.MatchString(plain(name)) {
				at = i
			}
		}
		if at < 0 && one.In == "header" && slices.Contains(ignored, one.Name) {
			continue
		}
		if at < 0 {
			return nil, fmt.Errorf("the client has no %s", one.Name)
		}
		found[at] = one
	}
	return found, nil
}

// ignored are headers that the document cannot describe as parameters.
var ignored = []string{"Accept", "Authorization", "Content-Type"}

var sign = regexp.MustCompile("[^a-z0-9]")

// plain is a name without case and signs.
func plain(name string) string { return sign.ReplaceAllString(strings.ToLower(name), "") }

// file is a file of a form, or a body of bytes.
type file struct {
	name  string
	bytes []byte
}

// write makes what clients take for a file.
func (sent file) write(target reflect.Value) error {
	switch {
	case target.Type() == reflect.TypeFor[*os.File](), target.Type() == reflect.TypeFor[any]():
		folder := Must(os.MkdirTemp("", "lab"))
		defer os.RemoveAll(folder)
		name := filepath.Join(folder, sent.name)
		check(os.WriteFile(name, sent.bytes, 0o600))
		target.Set(reflect.ValueOf(Must(os.Open(name))))
	case target.Kind() == reflect.Slice:
		target.SetBytes(sent.bytes)
	case isBody(target.Type()):
		target.Field(0).Set(reflect.ValueOf(bytes.NewReader(sent.bytes)))
	default:
		return fmt.Errorf("%s cannot be a file", target.Type())
	}
	return nil
}

// isBody says whether it is the type of ogen for a body that is no JSON.
func isBody(of reflect.Type) bool {
	return of.Kind() == reflect.Struct && of.NumField() == 1 && of.Field(0).Type == reflect.TypeFor[io.Reader]()
}

// untagged replaces what JSON cannot say.
func untagged(id string, value any) any {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			value[i] = untagged(id, item)
		}
	case map[string]any:
		for name, member := range value {
			switch name {
			case "$int64":
				return json.Number(member.(string))
			case "$date", "$dateTime":
				return member
			case "$bytes":
				return native(id, Must(base64.StdEncoding.DecodeString(member.(string))))
			case "$file":
				part := member.(map[string]any)
				return file{part["name"].(string), Must(base64.StdEncoding.DecodeString(part["bytes"].(string)))}
			}
			value[name] = untagged(id, member)
		}
	}
	return value
}

// native is what the decoder of a client reads as bytes: a text in base64, or a body.
func native(id string, content []byte) any {
	switch id {
	case "body/bytes":
		return file{"body", content}
	case "body/base64url":
		return base64.URLEncoding.EncodeToString(content)
	default:
		return base64.StdEncoding.EncodeToString(content)
	}
}
