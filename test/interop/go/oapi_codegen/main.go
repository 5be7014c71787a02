// Makes the journey with the client of oapi-codegen.
package main

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"os"

	openapi_types "github.com/oapi-codegen/runtime/types"

	galaxy "galaxy.test/interop/build/oapi_codegen"
	. "galaxy.test/interop/journey"
)

var ctx = context.Background()

func main() {
	client := Got(galaxy.NewClientWithResponses(URL()))
	email := NewEmail()
	signUp(client, email)
	client = signIn(client, email)
	planet := createPlanet(client)
	pageThrough(client)
	replace(client, planet.Id)
	upload(client, planet.Id)
	webhook := subscribe(client)
	readProblem(client)
	remove(client, planet.Id, webhook)
}

func pointer[T any](value T) *T { return &value }

func signUp(client *galaxy.ClientWithResponses, email string) {
	response := Got(client.CreateUserWithResponse(ctx, galaxy.SignUp{
		Email:    openapi_types.Email(email),
		Name:     pointer("Marc"),
		Password: pointer(Password),
	}))
	Equal("the status", response.StatusCode(), http.StatusCreated)
	Equal("the name", *response.JSON201.Name, "Marc")
	True("the user has an id", response.JSON201.Id > 0)
	Done("sign up")
}

func signIn(client *galaxy.ClientWithResponses, email string) *galaxy.ClientWithResponses {
	response := Got(client.GetTokenWithResponse(ctx, galaxy.Credentials{
		Email:    openapi_types.Email(email),
		Password: pointer(Password),
	}))
	Equal("the status", response.StatusCode(), http.StatusCreated)
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+response.JSON201.Token)
		return nil
	}
	signedIn := Got(galaxy.NewClientWithResponses(URL(), galaxy.WithRequestEditorFn(authorize)))
	me := Got(signedIn.GetMeWithResponse(ctx, nil))
	Equal("the name", *me.JSON200.Name, "Marc")
	Done("token")
	return signedIn
}

func createPlanet(client *galaxy.ClientWithResponses) *galaxy.Planet {
	sent := galaxy.PlanetInput{
		Name:              "Arrakis",
		Description:       pointer("The desert planet"),
		Type:              pointer(galaxy.PlanetKindTerrestrial),
		HabitabilityIndex: pointer(0.68),
		PhysicalProperties: &galaxy.PhysicalProperties{
			Mass:                 pointer(Mass),
			Radius:               pointer(0.532),
			Temperature:          &galaxy.Temperature{Min: pointer(130.5), Max: pointer(308.0)},
			AdditionalProperties: map[string]float64{"axialTilt": 25.19},
		},
		Atmosphere: &[]galaxy.AtmosphereComponent{
			{Compound: pointer("CO2"), Percentage: pointer(95.3)},
			{Compound: pointer("N2"), AdditionalProperties: map[string]string{"state": "gas"}},
		},
		DiscoveredAt: pointer(DiscoveredAt),
		Tags:         &[]string{"desert", "spice"},
		Satellites: &[]galaxy.SatelliteInput{{
			Name:     "Krelln",
			Type:     pointer(galaxy.SatelliteKindMoon),
			Diameter: pointer(22.2),
			Orbit:    &galaxy.SatelliteOrbitInput{Distance: pointer(9376.25)},
		}},
	}
	response := Got(client.CreatePlanetWithResponse(ctx, &galaxy.CreatePlanetParams{}, sent))
	Equal("the status", response.StatusCode(), http.StatusCreated)
	planet := response.JSON201
	var _ int64 = planet.Id
	Equal("the name", planet.Name, sent.Name)
	Equal("the description", planet.Description, sent.Description)
	Equal("the type", planet.Type, sent.Type)
	Equal("the index", planet.HabitabilityIndex, sent.HabitabilityIndex)
	Equal("the mass", *planet.PhysicalProperties.Mass, Mass)
	Equal("the radius", planet.PhysicalProperties.Radius, sent.PhysicalProperties.Radius)
	Equal("the temperature", planet.PhysicalProperties.Temperature.Min, sent.PhysicalProperties.Temperature.Min)
	Equal("the axial tilt", planet.PhysicalProperties.AdditionalProperties["axialTilt"], 25.19)
	Equal("the first compound", (*planet.Atmosphere)[0].Percentage, (*sent.Atmosphere)[0].Percentage)
	Equal("the second compound", (*planet.Atmosphere)[1].AdditionalProperties["state"], "gas")
	True("the time is the same", planet.DiscoveredAt.Equal(DiscoveredAt))
	Equal("the tags", planet.Tags, sent.Tags)
	Equal("the satellite", (*planet.Satellites)[0].Name, "Krelln")
	Equal("its orbit", (*planet.Satellites)[0].Orbit.Distance, (*sent.Satellites)[0].Orbit.Distance)
	Equal("the creator", *planet.Creator.Name, "Marc")
	True("the response has a location", *response.Headers201.Location != "")
	True("the response has an ETag", *response.Headers201.ETag != "")
	Done("create a planet")
	return planet
}

func pageThrough(client *galaxy.ClientWithResponses) {
	seen := map[int64]bool{}
	for page, offset := 0, int64(0); page < 4; page++ {
		response := Got(client.GetAllDataWithResponse(ctx, &galaxy.GetAllDataParams{Limit: pointer(int64(3)), Offset: &offset}))
		Equal("the status", response.StatusCode(), http.StatusOK)
		Equal("the number of items", len(response.JSON200.Data), 3)
		for _, planet := range response.JSON200.Data {
			True("the planet has a name", planet.Name != "")
			True("each planet comes once", !seen[planet.Id])
			seen[planet.Id] = true
		}
		Equal("the offset", response.JSON200.Meta.Offset, offset)
		True("there is a next page", response.JSON200.Meta.Next != nil)
		offset = NextOffset(*response.JSON200.Meta.Next)
	}
	Done("page through planets")
}

func replace(client *galaxy.ClientWithResponses, id int64) {
	read := Got(client.GetPlanetWithResponse(ctx, id, &galaxy.GetPlanetParams{}))
	condition := &galaxy.UpdatePlanetParams{IfMatch: read.Headers200.ETag}
	body := galaxy.PlanetInput{Name: "Dune"}
	response := Got(client.UpdatePlanetWithResponse(ctx, id, condition, body))
	Equal("the status", response.StatusCode(), http.StatusOK)
	Equal("the name", response.JSON200.Name, "Dune")
	again := Got(client.UpdatePlanetWithResponse(ctx, id, condition, body))
	Equal("the status", again.StatusCode(), http.StatusPreconditionFailed)
	problem := again.ApplicationproblemJSON412
	Equal("the status of the problem", int(problem.Status), http.StatusPreconditionFailed)
	Equal("the type of the problem", ProblemName(problem.Type), "precondition-failed")
	Done("replace with If-Match")
}

func upload(client *galaxy.ClientWithResponses, id int64) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file := Got(os.Open(Picture()))
	defer file.Close()
	part := Got(form.CreateFormFile("image", "picture.png"))
	Got(io.Copy(part, file))
	Must(form.Close())
	params := &galaxy.UploadImageParams{}
	response := Got(client.UploadImageWithBodyWithResponse(ctx, id, params, form.FormDataContentType(), &body))
	Equal("the status", response.StatusCode(), http.StatusOK)
	Equal("the type of the picture", response.JSON200.MimeType, "image/png")
	Equal("its size", response.JSON200.FileSize, Got(file.Stat()).Size())
	Done("upload a picture")
}

func subscribe(client *galaxy.ClientWithResponses) int64 {
	inbox := Got(client.CreateInboxWithResponse(ctx, galaxy.InboxInput{Status: pointer(200)})).JSON201
	var auth galaxy.ReceiverAuth
	Must(auth.FromBearerReceiverAuth(galaxy.BearerReceiverAuth{Token: Secret}))
	response := Got(client.CreateWebhookWithResponse(ctx, &galaxy.CreateWebhookParams{}, galaxy.WebhookInput{
		Url:    inbox.Url,
		Events: []galaxy.SubscribableEvent{galaxy.SubscribableEventNewPlanet},
		Auth:   &auth,
	}))
	Equal("the status", response.StatusCode(), http.StatusCreated)
	webhook := response.JSON201
	Equal("the scheme", webhook.Auth.Scheme, galaxy.ReceiverSchemeBearerAuth)
	True("the secret is not shown", !bytes.Contains(response.Body, []byte(Secret)))
	Equal("the status", Got(client.PingWebhookWithResponse(ctx, webhook.Id)).StatusCode(), http.StatusAccepted)
	Until("the inbox has the ping with its credential", func() bool {
		page := Got(client.GetInboxWithResponse(ctx, inbox.Id, &galaxy.GetInboxParams{})).JSON200
		for _, call := range page.Data {
			for _, header := range call.Headers {
				if header.Name == "authorization" && header.Value == "Bearer "+Secret {
					return true
				}
			}
		}
		return false
	})
	Done("webhook with a credential")
	return webhook.Id
}

func readProblem(client *galaxy.ClientWithResponses) {
	response := Got(client.CreatePlanetWithResponse(ctx, &galaxy.CreatePlanetParams{}, galaxy.PlanetInput{Name: ""}))
	Equal("the status", response.StatusCode(), http.StatusBadRequest)
	problem := response.ApplicationproblemJSON400
	Equal("the status of the problem", int(problem.Status), http.StatusBadRequest)
	Equal("the type of the problem", ProblemName(problem.Type), "invalid-body")
	Equal("the member that is wrong", (*problem.Errors)[0].Pointer, "/name")
	True("what is wrong with it is said", (*problem.Errors)[0].Detail != "")
	Done("problem with errors")
}

func remove(client *galaxy.ClientWithResponses, planet, webhook int64) {
	Equal("the status", Got(client.DeleteWebhookWithResponse(ctx, webhook)).StatusCode(), http.StatusNoContent)
	deleted := Got(client.DeletePlanetWithResponse(ctx, planet, &galaxy.DeletePlanetParams{}))
	Equal("the status", deleted.StatusCode(), http.StatusNoContent)
	read := Got(client.GetPlanetWithResponse(ctx, planet, &galaxy.GetPlanetParams{}))
	Equal("the status", read.StatusCode(), http.StatusNotFound)
	Equal("the status of the problem", int(read.ApplicationproblemJSON404.Status), http.StatusNotFound)
	Equal("the type of the problem", ProblemName(read.ApplicationproblemJSON404.Type), "not-found")
	Done("delete")
}
