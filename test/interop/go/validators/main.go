// Validates an OpenAPI document with kin-openapi. It is a module of its own, because oapi-codegen is built with an older
// kin-openapi.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	file := os.Args[1]
	document, err := openapi3.NewLoader().LoadFromFile(file)
	if err != nil {
		log.Fatal("kin-openapi cannot read it: ", err)
	}
	if err := document.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		log.Fatal("kin-openapi: ", err)
	}
	fmt.Println(document.Paths.Len())
}
