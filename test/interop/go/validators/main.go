// Validates an OpenAPI document with kin-openapi and with libopenapi.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
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
	fmt.Println("kin-openapi", document.Paths.Len())

	content, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	parsed, err := libopenapi.NewDocument(content)
	if err != nil {
		log.Fatal("libopenapi cannot read it: ", err)
	}
	model, err := parsed.BuildV3Model()
	if err != nil {
		log.Fatal("libopenapi: ", err)
	}
	schemas, faults := validator.NewValidator(parsed)
	if len(faults) > 0 {
		log.Fatal("libopenapi-validator: ", faults)
	}
	if valid, faults := schemas.ValidateDocument(); !valid {
		for _, fault := range faults {
			log.Printf("libopenapi-validator: %v", fault)
		}
		os.Exit(1)
	}
	fmt.Println("libopenapi", model.Model.Paths.PathItems.Len())
}
