// Makes the journey with the client of openapi-generator.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"

	galaxy "galaxy.test/interop/build/openapi_generator"
	. "galaxy.test/interop/journey"
)

func main() {
	configuration := galaxy.NewConfiguration()
	configuration.Servers = galaxy.ServerConfigurations{{URL: URL()}}
	client := galaxy.NewAPIClient(configuration)
	ctx := context.Background()
	email := NewEmail()
	signUp(ctx, client, email)
	ctx = signIn(ctx, client, email)
	planet := createPlanet(ctx, client)
	pageThrough(ctx, client)
	replace(ctx, client, planet.Id)
	upload(ctx, client, planet.Id)
	webhook := subscribe(ctx, client)
	readProblem(ctx, client)
	remove(ctx, client, planet.Id, webhook)
}

// problemOf returns the problem document of a call that was refused.
func problemOf[P any](err error) P {
	var refusal *galaxy.GenericOpenAPIError
	True("the call was refused", errors.As(err, &refusal))
	problem, is := refusal.Model().(P)
	if !is {
		Fail("the error has the type %T and not %T", refusal.Model(), problem)
	}
	return problem
}

func signUp(ctx context.Context, client *galaxy.APIClient, email string) {
	input := galaxy.NewSignUp(email, Password)
	input.SetName("Marc")
	user, response, err := client.AuthenticationAPI.CreateUser(ctx).SignUp(*input).Execute()
	Must(err)
	Equal("the status", response.StatusCode, http.StatusCreated)
	Equal("the name", user.GetName(), "Marc")
	True("the user has an id", user.Id > 0)
	Done("sign up")
}

func signIn(ctx context.Context, client *galaxy.APIClient, email string) context.Context {
	token, response, err := client.AuthenticationAPI.GetToken(ctx).
		Credentials(*galaxy.NewCredentials(email, Password)).Execute()
	Must(err)
	Equal("the status", response.StatusCode, http.StatusCreated)
	ctx = context.WithValue(ctx, galaxy.ContextAccessToken, token.Token)
	me, _, err := client.AuthenticationAPI.GetMe(ctx).Execute()
	Must(err)
	Equal("the name", me.GetName(), "Marc")
	Done("token")
	return ctx
}

func createPlanet(ctx context.Context, client *galaxy.APIClient) *galaxy.Planet {
	physical := galaxy.NewPhysicalProperties()
	physical.SetMass(Mass)
	physical.SetRadius(0.532)
	physical.SetTemperature(galaxy.Temperature{
		Min: galaxy.PtrFloat64(130.5),
		Max: galaxy.PtrFloat64(308),
		// The generator makes a map of what is not there, too.
		AdditionalProperties: map[string]any{},
	})
	physical.AdditionalProperties = map[string]any{"axialTilt": 25.19}
	satellite := galaxy.NewSatelliteInput("Krelln")
	satellite.SetType(galaxy.SATELLITEKIND_Moon)
	satellite.SetOrbit(galaxy.SatelliteOrbitInput{Distance: galaxy.PtrFloat64(9376.25)})
	sent := galaxy.NewPlanetInput("Arrakis")
	sent.SetDescription("The desert planet")
	sent.SetType(galaxy.PLANETKIND_Terrestrial)
	sent.SetHabitabilityIndex(0.68)
	sent.SetPhysicalProperties(*physical)
	sent.SetAtmosphere([]galaxy.AtmosphereComponent{
		{Compound: galaxy.PtrString("CO2"), Percentage: galaxy.PtrFloat64(95.3)},
		{Compound: galaxy.PtrString("N2"), AdditionalProperties: map[string]any{"state": "gas"}},
	})
	sent.SetDiscoveredAt(DiscoveredAt)
	sent.SetTags([]string{"desert", "spice"})
	sent.SetSatellites([]galaxy.SatelliteInput{*satellite})

	planet, response, err := client.PlanetsAPI.CreatePlanet(ctx).PlanetInput(*sent).Execute()
	Must(err)
	Equal("the status", response.StatusCode, http.StatusCreated)
	var _ int64 = planet.Id
	Equal("the name", planet.Name, "Arrakis")
	Equal("the description", planet.GetDescription(), "The desert planet")
	Equal("the type", planet.GetType(), galaxy.PLANETKIND_Terrestrial)
	Equal("the index", planet.GetHabitabilityIndex(), 0.68)
	Equal("the physical properties", planet.GetPhysicalProperties(), *physical)
	Equal("the mass", planet.PhysicalProperties.GetMass(), Mass)
	Equal("the first compound", planet.Atmosphere[0].GetPercentage(), 95.3)
	Equal("the second compound", planet.Atmosphere[1].AdditionalProperties["state"], any("gas"))
	True("the time is the same", planet.DiscoveredAt.Equal(DiscoveredAt))
	Equal("the tags", planet.Tags, sent.Tags)
	Equal("the satellite", planet.Satellites[0].Name, "Krelln")
	Equal("its type", planet.Satellites[0].GetType(), galaxy.SATELLITEKIND_Moon)
	Equal("its orbit", planet.Satellites[0].Orbit.GetDistance(), 9376.25)
	Equal("the creator", planet.Creator.GetName(), "Marc")
	True("the response has a location", response.Header.Get("Location") != "")
	True("the response has an ETag", response.Header.Get("ETag") != "")
	Done("create a planet")
	return planet
}

func pageThrough(ctx context.Context, client *galaxy.APIClient) {
	seen := map[int64]bool{}
	for page, offset := 0, int64(0); page < 4; page++ {
		planets, _, err := client.PlanetsAPI.GetAllData(ctx).Limit(3).Offset(offset).Execute()
		Must(err)
		Equal("the number of items", len(planets.Data), 3)
		for _, planet := range planets.Data {
			True("the planet has a name", planet.Name != "")
			True("each planet comes once", !seen[planet.Id])
			seen[planet.Id] = true
		}
		Equal("the offset", planets.Meta.Offset, offset)
		True("there is a next page", planets.Meta.Next.IsSet())
		offset = NextOffset(*planets.Meta.Next.Get())
	}
	Done("page through planets")
}

func replace(ctx context.Context, client *galaxy.APIClient, id int64) {
	_, read, err := client.PlanetsAPI.GetPlanet(ctx, id).Execute()
	Must(err)
	update := client.PlanetsAPI.UpdatePlanet(ctx, id).
		IfMatch(read.Header.Get("ETag")).
		PlanetInput(*galaxy.NewPlanetInput("Dune"))
	planet, _, err := update.Execute()
	Must(err)
	Equal("the name", planet.Name, "Dune")
	_, _, err = update.Execute()
	problem := problemOf[galaxy.PreconditionFailedError](err)
	Equal("the status of the problem", int(problem.Status), http.StatusPreconditionFailed)
	Equal("the type of the problem", ProblemName(problem.Type), "precondition-failed")
	Done("replace with If-Match")
}

func upload(ctx context.Context, client *galaxy.APIClient, id int64) {
	file := Got(os.Open(Picture()))
	defer file.Close()
	image, _, err := client.PlanetsAPI.UploadImage(ctx, id).Image(file).Execute()
	Must(err)
	Equal("the type of the picture", image.MimeType, "image/png")
	Equal("its size", image.FileSize, Got(os.Stat(Picture())).Size())
	Done("upload a picture")
}

func subscribe(ctx context.Context, client *galaxy.APIClient) int64 {
	inbox, _, err := client.CallbacksAPI.CreateInbox(ctx).InboxInput(*galaxy.NewInboxInput()).Execute()
	Must(err)
	input := galaxy.NewWebhookInput(inbox.Url, []galaxy.SubscribableEvent{galaxy.SUBSCRIBABLEEVENT_NEW_PLANET})
	input.SetAuth(galaxy.BearerReceiverAuthAsReceiverAuth(galaxy.NewBearerReceiverAuth("bearerAuth", Secret)))
	webhook, response, err := client.CallbacksAPI.CreateWebhook(ctx).WebhookInput(*input).Execute()
	Must(err)
	Equal("the scheme", webhook.Auth.Scheme, galaxy.RECEIVERSCHEME_BEARER_AUTH)
	body := Got(io.ReadAll(response.Body))
	True("the body can be read again", len(body) > 0)
	True("the secret is not shown", !bytes.Contains(body, []byte(Secret)))
	pinged, err := client.CallbacksAPI.PingWebhook(ctx, webhook.Id).Execute()
	Must(err)
	Equal("the status", pinged.StatusCode, http.StatusAccepted)
	Until("the inbox has the ping with its credential", func() bool {
		page, _, err := client.CallbacksAPI.GetInbox(ctx, inbox.Id).Execute()
		Must(err)
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

func readProblem(ctx context.Context, client *galaxy.APIClient) {
	_, _, err := client.PlanetsAPI.CreatePlanet(ctx).PlanetInput(*galaxy.NewPlanetInput("")).Execute()
	problem := problemOf[galaxy.BadRequestError](err)
	Equal("the status of the problem", int(problem.Status), http.StatusBadRequest)
	Equal("the type of the problem", ProblemName(problem.Type), "invalid-body")
	Equal("the member that is wrong", problem.Errors[0].Pointer, "/name")
	True("what is wrong with it is said", problem.Errors[0].Detail != "")
	Done("problem with errors")
}

func remove(ctx context.Context, client *galaxy.APIClient, planet, webhook int64) {
	deleted, err := client.CallbacksAPI.DeleteWebhook(ctx, webhook).Execute()
	Must(err)
	Equal("the status", deleted.StatusCode, http.StatusNoContent)
	deleted, err = client.PlanetsAPI.DeletePlanet(ctx, planet).Execute()
	Must(err)
	Equal("the status", deleted.StatusCode, http.StatusNoContent)
	_, _, err = client.PlanetsAPI.GetPlanet(ctx, planet).Execute()
	problem := problemOf[galaxy.NotFoundError](err)
	Equal("the status of the problem", int(problem.Status), http.StatusNotFound)
	Equal("the type of the problem", ProblemName(problem.Type), "not-found")
	Done("delete")
}
