import java.io.File;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.CallbacksApi;
import org.openapitools.client.api.PlanetsApi;
import org.openapitools.client.model.*;

/** Makes the journey with a client that openapi-generator has made for Java. */
public final class Journey {
    private static final String PASSWORD = "i-love-planets";
    private static final OffsetDateTime DISCOVERED_AT = OffsetDateTime.parse("1965-08-01T12:30:00Z");

    private final Library library = new Library(System.getenv("GALAXY_URL"));
    // A client reads its address when it is made, and its token with each call.
    private PlanetsApi planets;
    private CallbacksApi callbacks;

    public static void main(String[] arguments) throws Exception {
        new Journey().make();
        // The threads of the HTTP client would keep the program running.
        System.exit(0);
    }

    private void make() throws Exception {
        signUp();
        planets = new PlanetsApi(library.client());
        callbacks = new CallbacksApi(library.client());
        long planetId = createPlanet();
        pageThroughPlanets();
        replaceWithIfMatch(planetId);
        uploadPicture(planetId);
        long webhookId = makeWebhook();
        readProblem();
        delete(planetId, webhookId);
    }

    private void signUp() throws Exception {
        AuthenticationApi authentication = new AuthenticationApi(library.client());
        String email = "java-" + UUID.randomUUID() + "@example.com";
        User user = authentication.createUser(new SignUp().email(email).password(PASSWORD).name("Java"));
        expect(user.getId() > 0, "the user has an id");
        expectEqual("Java", user.getName());
        done("sign up");

        Token token = authentication.getToken(new Credentials().email(email).password(PASSWORD));
        library.useToken(token.getToken());
        User me = new AuthenticationApi(library.client()).getMe(null);
        expectEqual(user.getId(), me.getId());
        done("token");
    }

    private PlanetInput arrakis() {
        // A float would lose digits of the mass.
        return new PlanetInput()
                .name("Arrakis")
                .type(PlanetKind.Terrestrial)
                .physicalProperties(
                        new PhysicalProperties()
                                .mass(0.107123456789)
                                .radius(0.532)
                                .temperature(new Temperature().min(-2.5).max(71.25)))
                .addAtmosphereItem(new AtmosphereComponent().compound("N2").percentage(75.4))
                .addAtmosphereItem(new AtmosphereComponent().compound("O2").percentage(23.9))
                .discoveredAt(DISCOVERED_AT)
                .addTagsItem("desert")
                .addTagsItem("spice")
                .addSatellitesItem(
                        new SatelliteInput()
                                .name("Krelln")
                                .diameter(488.123456789)
                                .type(SatelliteKind.Moon)
                                .orbit(new SatelliteOrbitInput().distance(324077.5)));
    }

    private long createPlanet() throws Exception {
        PlanetInput sent = arrakis();
        ApiResponse<Planet> response = planets.createPlanetWithHttpInfo(sent, UUID.randomUUID().toString());
        expectEqual(201, response.getStatusCode());
        Planet planet = response.getData();
        Long id = planet.getId();
        expect(header(response, "Location").endsWith("/planets/" + id), "Location has the id");
        expectEqual(sent.getName(), planet.getName());
        expectEqual(sent.getType(), planet.getType());
        expectEqual(sent.getPhysicalProperties(), planet.getPhysicalProperties());
        expectEqual(0.107123456789, planet.getPhysicalProperties().getMass());
        expectEqual(sent.getAtmosphere(), planet.getAtmosphere());
        expect(DISCOVERED_AT.isEqual(planet.getDiscoveredAt()), "the time is the same");
        expectEqual(List.of("desert", "spice"), planet.getTags());
        Satellite satellite = planet.getSatellites().get(0);
        expect(satellite.getId() > 0, "the satellite has an id");
        expectEqual("Krelln", satellite.getName());
        expectEqual(488.123456789, satellite.getDiameter());
        expectEqual(SatelliteKind.Moon, satellite.getType());
        expectEqual(324077.5, satellite.getOrbit().getDistance());
        expectEqual(id, satellite.getOrbit().getPlanet().getId());
        expectEqual("Java", planet.getCreator().getName());
        done("create a planet");
        return id;
    }

    private void pageThroughPlanets() throws Exception {
        Set<Long> seen = new HashSet<>();
        List<Planet> read = new ArrayList<>();
        long offset = 0;
        for (int page = 0; page < 3; page++) {
            PlanetPage answer = pageOfPlanets(25, offset);
            CursorPageMeta meta = answer.getMeta();
            expectEqual(25L, meta.getLimit());
            expectEqual(offset, meta.getOffset());
            expect(meta.getTotal() > 5000, "the catalogue is there");
            for (Planet planet : answer.getData()) {
                expect(seen.add(planet.getId()), "planet " + planet.getId() + " comes once");
                read.add(planet);
            }
            offset += 25;
            expect(meta.getNext().contains("offset=" + offset), "next is the next page");
        }
        expectEqual(75, read.size());
        PlanetPage last = pageOfPlanets(1, pageOfPlanets(1, 0).getMeta().getTotal() - 1);
        expectEqual(null, last.getMeta().getNext());
        done("page through planets");
    }

    /** A page without filter: the methods of these generators take every optional parameter. */
    private PlanetPage pageOfPlanets(long limit, long offset) throws Exception {
        return planets.getAllData(limit, offset, null, null, null, null, null, null, null);
    }

    private void replaceWithIfMatch(long id) throws Exception {
        String tag = header(planets.getPlanetWithHttpInfo(id, null), "ETag");
        Planet planet = planets.updatePlanet(id, arrakis().description("Dune").habitabilityIndex(0.68), tag);
        expectEqual("Dune", planet.getDescription());
        expectEqual(0.68, planet.getHabitabilityIndex());
        PreconditionFailedError problem =
                problem(
                        412,
                        PreconditionFailedError.class,
                        () -> planets.updatePlanet(id, arrakis().description("Caladan"), tag));
        expectEqual(412, problem.getStatus().getValue());
        expect(problem.getType().getPath().endsWith("/precondition-failed"), "the problem has its type");
        expectEqual("Dune", planets.getPlanet(id, null).getDescription());
        done("replace with If-Match");
    }

    private void uploadPicture(long id) throws Exception {
        File picture = new File(System.getenv("PICTURE"));
        ImageUploadedMessage message = planets.uploadImage(id, picture, null, null);
        expectEqual("image/png", message.getMimeType());
        expectEqual(picture.length(), message.getFileSize().longValue());
        File image = planets.getImage(message.getImageUrl().getPath().replaceFirst(".*/", ""), null, null);
        expectEqual(picture.length(), image.length());
        done("upload a picture");
    }

    private long makeWebhook() throws Exception {
        Inbox inbox = callbacks.createInbox(new InboxInput().status(204));
        BearerReceiverAuth auth =
                new BearerReceiverAuth().scheme(BearerReceiverAuth.SchemeEnum.BEARER_AUTH).token("melange");
        WebhookInput sent =
                new WebhookInput()
                        .url(URI.create(inbox.getUrl() + "/hook"))
                        .addEventsItem(SubscribableEvent.NEW_PLANET)
                        .auth(new ReceiverAuth(auth));
        CreatedWebhook webhook = callbacks.createWebhook(sent, null);
        expectEqual(sent.getUrl(), webhook.getUrl());
        expectEqual(sent.getEvents(), webhook.getEvents());
        expectEqual(SubscriptionStatus.ACTIVE, webhook.getStatus());
        expect(webhook.getSecret().startsWith("whsec_"), "the webhook has a signing secret");
        // This type has the scheme and nothing else.
        expectEqual(new ReceiverAuthSummary().scheme(ReceiverScheme.BEARER_AUTH), webhook.getAuth());
        callbacks.pingWebhook(webhook.getId());
        ReceivedCall call = firstCall(inbox);
        expectEqual("POST", call.getMethod());
        expect(call.getHeaders().contains(receivedHeader("authorization", "Bearer melange")), "the call has the token");
        expectEqual(SignatureVerdict.VALID, call.getSignatures().getWebhookSignature());
        done("webhook with a credential");
        return webhook.getId();
    }

    /** Waits for a call for half a minute. */
    private ReceivedCall firstCall(Inbox inbox) throws Exception {
        for (int attempt = 0; attempt < 300; attempt++) {
            List<ReceivedCall> calls = callbacks.getInbox(inbox.getId(), null, null).getData();
            if (!calls.isEmpty()) return calls.get(0);
            Thread.sleep(100);
        }
        throw new AssertionError("the ping did not come");
    }

    private ReceivedHeader receivedHeader(String name, String value) {
        return new ReceivedHeader().name(name).value(value);
    }

    private void readProblem() throws Exception {
        BadRequestError problem =
                problem(400, BadRequestError.class, () -> planets.createPlanet(new PlanetInput().name(""), null));
        expectEqual(400, problem.getStatus().getValue());
        expect(problem.getType().getPath().endsWith("/invalid-body"), "the problem has its type: " + problem);
        expectEqual(1, problem.getErrors().size());
        expectEqual("/name", problem.getErrors().get(0).getPointer());
        expect(!problem.getErrors().get(0).getDetail().isEmpty(), "the fault has a detail");
        done("problem with errors");
    }

    private void delete(long planetId, long webhookId) throws Exception {
        expectEqual(204, callbacks.deleteWebhookWithHttpInfo(webhookId).getStatusCode());
        NotFoundError noWebhook = problem(404, NotFoundError.class, () -> callbacks.getWebhook(webhookId));
        expectEqual(404, noWebhook.getStatus().getValue());
        expectEqual(204, planets.deletePlanetWithHttpInfo(planetId, null).getStatusCode());
        NotFoundError noPlanet = problem(404, NotFoundError.class, () -> planets.getPlanet(planetId, null));
        expect(noPlanet.getType().getPath().endsWith("/not-found"), "the problem has its type");
        done("delete");
    }

    private interface Call {
        Object make() throws ApiException;
    }

    /** The problem with which the service refuses a call. */
    private <T> T problem(int status, Class<T> type, Call call) throws Exception {
        try {
            throw new AssertionError("it is not refused: " + call.make());
        } catch (ApiException exception) {
            expectEqual(status, exception.getCode());
            return library.read(exception.getResponseBody(), type);
        }
    }

    private static String header(ApiResponse<?> response, String name) {
        for (Map.Entry<String, List<String>> header : response.getHeaders().entrySet())
            if (header.getKey().equalsIgnoreCase(name)) return header.getValue().get(0);
        throw new AssertionError("the response has no " + name);
    }

    private static void expectEqual(Object expected, Object actual) {
        expect(Objects.equals(expected, actual), "it is " + actual + " and not " + expected);
    }

    private static void expect(boolean isTrue, String statement) {
        if (!isTrue) throw new AssertionError(statement);
    }

    private static void done(String step) {
        System.out.println(step);
    }
}
