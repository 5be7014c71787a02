// Makes the journey with the client of ogen.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	ogenhttp "github.com/ogen-go/ogen/http"
	"github.com/ogen-go/ogen/ogenerrors"

	galaxy "galaxy.test/interop/build/ogen"
	. "galaxy.test/interop/journey"
)

var ctx = context.Background()

// credentials of a user. All schemes but the one for tokens are left out.
type credentials struct{ token string }

func (c *credentials) BearerAuth(context.Context, galaxy.OperationName) (galaxy.BearerAuth, error) {
	if c.token == "" {
		return galaxy.BearerAuth{}, ogenerrors.ErrSkipClientSecurity
	}
	return galaxy.BearerAuth{Token: c.token}, nil
}

func (*credentials) BasicAuth(context.Context, galaxy.OperationName) (galaxy.BasicAuth, error) {
	return galaxy.BasicAuth{}, ogenerrors.ErrSkipClientSecurity
}

func (*credentials) ApiKeyCookie(context.Context, galaxy.OperationName) (galaxy.ApiKeyCookie, error) {
	return galaxy.ApiKeyCookie{}, ogenerrors.ErrSkipClientSecurity
}

func (*credentials) ApiKeyHeader(context.Context, galaxy.OperationName) (galaxy.ApiKeyHeader, error) {
	return galaxy.ApiKeyHeader{}, ogenerrors.ErrSkipClientSecurity
}

func (*credentials) ApiKeyQuery(context.Context, galaxy.OperationName) (galaxy.ApiKeyQuery, error) {
	return galaxy.ApiKeyQuery{}, ogenerrors.ErrSkipClientSecurity
}

func (*credentials) OAuth2(context.Context, galaxy.OperationName) (galaxy.OAuth2, error) {
	return galaxy.OAuth2{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	user := &credentials{}
	client := Got(galaxy.NewClient(URL(), user))
	email := NewEmail()
	signUp(client, email)
	signIn(client, email, user)
	planet := createPlanet(client)
	pageThrough(client)
	replace(client, planet.ID)
	upload(client, planet.ID)
	webhook := subscribe(client)
	readProblem(client)
	remove(client, planet.ID, webhook)
}

// as returns the response of a call as the type that it must have.
func as[Wanted, Response any](response Response, err error) Wanted {
	Must(err)
	wanted, is := any(response).(Wanted)
	if !is {
		Fail("the response is %+v (%T) and not a %T", response, response, wanted)
	}
	return wanted
}

func signUp(client *galaxy.Client, email string) {
	created := as[*galaxy.CreateUserCreatedHeaders](client.CreateUser(ctx, &galaxy.SignUp{
		Email:    email,
		Name:     galaxy.NewOptString("Marc"),
		Password: Password,
	}))
	Equal("the name", created.Response.Name.Value, "Marc")
	True("the user has an id", created.Response.ID > 0)
	Done("sign up")
}

func signIn(client *galaxy.Client, email string, user *credentials) {
	input := galaxy.Credentials{Email: email, Password: Password}
	user.token = as[*galaxy.TokenHeaders](client.GetToken(ctx, &input)).Response.Token
	me := as[*galaxy.UserHeaders](client.GetMe(ctx, galaxy.GetMeParams{}))
	Equal("the name", me.Response.Name.Value, "Marc")
	Done("token")
}

func createPlanet(client *galaxy.Client) *galaxy.Planet {
	sent := galaxy.PlanetInput{
		Name:              "Arrakis",
		Description:       galaxy.NewOptNilString("The desert planet"),
		Type:              galaxy.NewOptPlanetKind(galaxy.PlanetKindTerrestrial),
		HabitabilityIndex: galaxy.NewOptFloat64(0.68),
		PhysicalProperties: galaxy.NewOptPhysicalProperties(galaxy.PhysicalProperties{
			Mass:   galaxy.NewOptFloat64(Mass),
			Radius: galaxy.NewOptFloat64(0.532),
			Temperature: galaxy.NewOptTemperature(galaxy.Temperature{
				Min: galaxy.NewOptFloat64(130.5),
				Max: galaxy.NewOptFloat64(308),
				// The generator makes a map of what is not there, too.
				AdditionalProps: galaxy.TemperatureAdditional{},
			}),
			AdditionalProps: galaxy.PhysicalPropertiesAdditional{"axialTilt": 25.19},
		}),
		Atmosphere: []galaxy.AtmosphereComponent{
			{Compound: galaxy.NewOptString("CO2"), Percentage: galaxy.NewOptFloat64(95.3)},
			{
				Compound:        galaxy.NewOptString("N2"),
				AdditionalProps: galaxy.AtmosphereComponentAdditional{"state": "gas"},
			},
		},
		DiscoveredAt: galaxy.NewOptDateTime(DiscoveredAt),
		Tags:         []string{"desert", "spice"},
		Satellites: []galaxy.SatelliteInput{{
			Name: "Krelln",
			Type: galaxy.NewOptSatelliteKind(galaxy.SatelliteKindMoon),
			Orbit: galaxy.NewOptSatelliteOrbitInput(galaxy.SatelliteOrbitInput{
				Distance: galaxy.NewOptFloat64(9376.25),
			}),
		}},
	}
	created := as[*galaxy.PlanetHeaders](client.CreatePlanet(ctx, &sent, galaxy.CreatePlanetParams{}))
	planet := created.Response
	var _ int64 = planet.ID
	Equal("the name", planet.Name, sent.Name)
	Equal("the description", planet.Description, sent.Description)
	Equal("the type", planet.Type, sent.Type)
	Equal("the index", planet.HabitabilityIndex, sent.HabitabilityIndex)
	Equal("the physical properties", planet.PhysicalProperties, sent.PhysicalProperties)
	Equal("the mass", planet.PhysicalProperties.Value.Mass.Value, Mass)
	Equal("the first compound", planet.Atmosphere[0].Percentage, sent.Atmosphere[0].Percentage)
	Equal("the second compound", planet.Atmosphere[1], sent.Atmosphere[1])
	True("the time is the same", planet.DiscoveredAt.Value.Equal(DiscoveredAt))
	Equal("the tags", planet.Tags, sent.Tags)
	Equal("the satellite", planet.Satellites[0].Name, "Krelln")
	Equal("its type", planet.Satellites[0].Type, sent.Satellites[0].Type)
	Equal("its orbit", planet.Satellites[0].Orbit.Value.Distance, sent.Satellites[0].Orbit.Value.Distance)
	Equal("the creator", planet.Creator.Value.Name.Value, "Marc")
	True("the response has a location", created.Location.Value != "")
	True("the response has an ETag", created.ETag.Value != "")
	Done("create a planet")
	return &planet
}

func pageThrough(client *galaxy.Client) {
	seen := map[int64]bool{}
	for page, offset := 0, int64(0); page < 4; page++ {
		planets := as[*galaxy.PlanetPageHeaders](client.GetAllData(ctx, galaxy.GetAllDataParams{
			Limit:  galaxy.NewOptInt64(3),
			Offset: galaxy.NewOptInt64(offset),
		})).Response
		Equal("the number of items", len(planets.Data), 3)
		for _, planet := range planets.Data {
			True("the planet has a name", planet.Name != "")
			True("each planet comes once", !seen[planet.ID])
			seen[planet.ID] = true
		}
		Equal("the offset", planets.Meta.Offset, offset)
		True("there is a next page", !planets.Meta.Next.IsNull())
		offset = NextOffset(planets.Meta.Next.Value)
	}
	Done("page through planets")
}

func replace(client *galaxy.Client, id int64) {
	read := as[*galaxy.GetPlanetOKHeaders](client.GetPlanet(ctx, galaxy.GetPlanetParams{PlanetId: id}))
	condition := galaxy.UpdatePlanetParams{PlanetId: id, IfMatch: read.ETag}
	body := galaxy.PlanetInput{Name: "Dune"}
	updated := as[*galaxy.UpdatePlanetOKHeaders](client.UpdatePlanet(ctx, &body, condition))
	Equal("the name", updated.Response.Name, "Dune")
	problem := as[*galaxy.PreconditionFailedProblemHeaders](client.UpdatePlanet(ctx, &body, condition)).Response
	Equal("the status of the problem", problem.Status, galaxy.PreconditionFailedErrorStatus412)
	Equal("the type of the problem", ProblemName(problem.Type.String()), "precondition-failed")
	Done("replace with If-Match")
}

func upload(client *galaxy.Client, id int64) {
	file := Got(os.Open(Picture()))
	defer file.Close()
	form := galaxy.ImageUploadFormMultipart{Image: ogenhttp.MultipartFile{Name: "picture.png", File: file}}
	params := galaxy.UploadImageParams{PlanetId: id}
	image := as[*galaxy.ImageUploadedMessageHeaders](client.UploadImage(ctx, &form, params)).Response
	Equal("the type of the picture", image.MimeType, "image/png")
	Equal("its size", image.FileSize, Got(os.Stat(Picture())).Size())
	Done("upload a picture")
}

func subscribe(client *galaxy.Client) int64 {
	inbox := as[*galaxy.InboxHeaders](client.CreateInbox(ctx, &galaxy.InboxInput{})).Response
	auth := galaxy.NewBearerReceiverAuthReceiverAuth(galaxy.BearerReceiverAuth{Scheme: "bearerAuth", Token: Secret})
	input := galaxy.WebhookInput{
		URL:    inbox.URL,
		Events: []galaxy.SubscribableEvent{galaxy.SubscribableEventNewPlanet},
		Auth:   galaxy.NewOptReceiverAuth(auth),
	}
	webhook := as[*galaxy.CreatedWebhookHeaders](client.CreateWebhook(ctx, &input, galaxy.CreateWebhookParams{})).Response
	Equal("the scheme", webhook.Auth.Value.Scheme, galaxy.ReceiverSchemeBearerAuth)
	True("the secret is not shown", !strings.Contains(fmt.Sprintf("%+v", webhook), Secret))
	as[*galaxy.PingWebhookAccepted](client.PingWebhook(ctx, galaxy.PingWebhookParams{WebhookId: webhook.ID}))
	Until("the inbox has the ping with its credential", func() bool {
		page := as[*galaxy.InboxPageHeaders](client.GetInbox(ctx, galaxy.GetInboxParams{InboxId: inbox.ID})).Response
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
	return webhook.ID
}

func readProblem(client *galaxy.Client) {
	input := galaxy.PlanetInput{Name: ""}
	refusal := as[*galaxy.BadRequestProblemHeaders](client.CreatePlanet(ctx, &input, galaxy.CreatePlanetParams{}))
	problem := refusal.Response
	Equal("the status of the problem", problem.Status, galaxy.BadRequestErrorStatus400)
	Equal("the type of the problem", ProblemName(problem.Type.String()), "invalid-body")
	Equal("the member that is wrong", problem.Errors[0].Pointer, "/name")
	True("what is wrong with it is said", problem.Errors[0].Detail != "")
	Done("problem with errors")
}

func remove(client *galaxy.Client, planet, webhook int64) {
	as[*galaxy.DeleteWebhookNoContent](client.DeleteWebhook(ctx, galaxy.DeleteWebhookParams{WebhookId: webhook}))
	as[*galaxy.DeletePlanetNoContent](client.DeletePlanet(ctx, galaxy.DeletePlanetParams{PlanetId: planet}))
	read := as[*galaxy.NotFoundProblemHeaders](client.GetPlanet(ctx, galaxy.GetPlanetParams{PlanetId: planet}))
	Equal("the status of the problem", read.Response.Status, galaxy.NotFoundErrorStatus404)
	Equal("the type of the problem", ProblemName(read.Response.Type.String()), "not-found")
	Done("delete")
}
