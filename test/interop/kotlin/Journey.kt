import java.io.File
import java.net.URI
import java.time.OffsetDateTime
import java.util.UUID
import kotlin.system.exitProcess
import org.openapitools.client.apis.AuthenticationApi
import org.openapitools.client.apis.CallbacksApi
import org.openapitools.client.apis.PlanetsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ApiResponse
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.infrastructure.Success
import org.openapitools.client.models.*

// Makes the journey with a client that openapi-generator has made for Kotlin.

private const val PASSWORD = "i-love-planets"
private val DISCOVERED_AT: OffsetDateTime = OffsetDateTime.parse("1965-08-01T12:30:00Z")

private val url: String = System.getenv("GALAXY_URL")
private val authentication = AuthenticationApi(url)
private val planets = PlanetsApi(url)
private val callbacks = CallbacksApi(url)

fun main() {
    signUp()
    val planetId = createPlanet()
    pageThroughPlanets()
    replaceWithIfMatch(planetId)
    uploadPicture(planetId)
    val webhookId = makeWebhook()
    readProblem()
    delete(planetId, webhookId)
    // The threads of the HTTP client would keep the program running.
    exitProcess(0)
}

private fun signUp() {
    val email = "kotlin-${UUID.randomUUID()}@example.com"
    val user = authentication.createUser(SignUp(email = email, password = PASSWORD, name = "Kotlin"))
    expect(user.id > 0, "the user has an id")
    expectEqual("Kotlin", user.name)
    done("sign up")

    ApiClient.accessToken = authentication.getToken(Credentials(email, PASSWORD)).token
    expectEqual(user.id, authentication.getMe().id)
    done("token")
}

/** A float would lose digits of the mass. */
private val arrakis =
    PlanetInput(
        name = "Arrakis",
        type = PlanetKind.Terrestrial,
        physicalProperties =
            PhysicalProperties(mass = 0.107123456789, radius = 0.532, temperature = Temperature(min = -2.5, max = 71.25)),
        atmosphere =
            listOf(
                AtmosphereComponent(compound = "N2", percentage = 75.4),
                AtmosphereComponent(compound = "O2", percentage = 23.9),
            ),
        discoveredAt = DISCOVERED_AT,
        tags = listOf("desert", "spice"),
        satellites =
            listOf(
                SatelliteInput(
                    name = "Krelln",
                    diameter = 488.123456789,
                    type = SatelliteKind.Moon,
                    orbit = SatelliteOrbitInput(distance = 324077.5),
                ),
            ),
    )

private fun createPlanet(): Long {
    val response = planets.createPlanetWithHttpInfo(arrakis, UUID.randomUUID().toString())
    expectEqual(201, response.statusCode)
    val planet = (response as Success).data ?: throw AssertionError("there is no planet")
    val id: Long = planet.id
    expect(header(response, "Location").endsWith("/planets/$id"), "Location has the id")
    expectEqual(arrakis.name, planet.name)
    expectEqual(arrakis.type, planet.type)
    expectEqual(arrakis.physicalProperties, planet.physicalProperties)
    expectEqual(0.107123456789, planet.physicalProperties?.mass)
    expectEqual(71.25, planet.physicalProperties?.temperature?.max)
    expectEqual(arrakis.atmosphere, planet.atmosphere)
    expect(DISCOVERED_AT.isEqual(planet.discoveredAt), "the time is the same")
    expectEqual(arrakis.tags, planet.tags)
    val satellite = planet.satellites?.single() ?: throw AssertionError("there is no satellite")
    expect(satellite.id > 0, "the satellite has an id")
    expectEqual("Krelln", satellite.name)
    expectEqual(488.123456789, satellite.diameter)
    expectEqual(SatelliteKind.Moon, satellite.type)
    expectEqual(324077.5, satellite.orbit?.distance)
    expectEqual(id, satellite.orbit?.planet?.id)
    expectEqual("Kotlin", planet.creator?.name)
    done("create a planet")
    return id
}

private fun pageThroughPlanets() {
    val seen = mutableSetOf<Long>()
    var offset = 0L
    repeat(3) {
        val page = planets.getAllData(limit = 25, offset = offset)
        expectEqual(25L, page.meta.limit)
        expectEqual(offset, page.meta.offset)
        expect(page.meta.total > 5000, "the catalogue is there")
        for (planet: Planet in page.data) expect(seen.add(planet.id), "planet ${planet.id} comes once")
        offset += 25
        expect(page.meta.next?.contains("offset=$offset") == true, "next is the next page")
    }
    expectEqual(75, seen.size)
    val last = planets.getAllData(limit = 1, offset = planets.getAllData(limit = 1).meta.total - 1)
    expectEqual(null, last.meta.next)
    done("page through planets")
}

private fun replaceWithIfMatch(id: Long) {
    val tag = header(planets.getPlanetWithHttpInfo(id, null), "ETag")
    val planet = planets.updatePlanet(id, arrakis.copy(description = "Dune", habitabilityIndex = 0.68), tag)
    expectEqual("Dune", planet.description)
    expectEqual(0.68, planet.habitabilityIndex)
    val problem = problem(412) { planets.updatePlanet(id, arrakis.copy(description = "Caladan"), tag) }
    expect(problem.type.path.endsWith("/precondition-failed"), "the problem has its type")
    expectEqual("Dune", planets.getPlanet(id).description)
    done("replace with If-Match")
}

private fun uploadPicture(id: Long) {
    val picture = File(System.getenv("PICTURE"))
    val message = planets.uploadImage(id, picture)
    expectEqual("image/png", message.mimeType)
    expectEqual(picture.length(), message.fileSize.toLong())
    val image = planets.getImage(message.imageUrl.path.substringAfterLast("/"))
    expectEqual(picture.length(), image.length())
    done("upload a picture")
}

private fun makeWebhook(): Long {
    val inbox = callbacks.createInbox(InboxInput(status = 204))
    val sent =
        WebhookInput(
            url = URI("${inbox.url}/hook"),
            events = listOf(SubscribableEvent.newPlanet),
            auth = BearerReceiverAuth(BearerReceiverAuth.Scheme.bearerAuth, "melange"),
        )
    val webhook = callbacks.createWebhook(sent)
    expectEqual(sent.url, webhook.url)
    expectEqual(sent.events, webhook.events)
    expectEqual(SubscriptionStatus.active, webhook.status)
    expect(webhook.secret?.startsWith("whsec_") == true, "the webhook has a signing secret")
    // This type has the scheme and nothing else.
    expectEqual(ReceiverAuthSummary(ReceiverScheme.bearerAuth), webhook.auth)
    callbacks.pingWebhook(webhook.id)
    val call = firstCall(inbox)
    expectEqual("POST", call.method)
    expect(ReceivedHeader("authorization", "Bearer melange") in call.headers, "the call has the token")
    expectEqual(SignatureVerdict.valid, call.signatures.webhookSignature)
    done("webhook with a credential")
    return webhook.id
}

/** Waits for a call for half a minute. */
private fun firstCall(inbox: Inbox): ReceivedCall {
    repeat(300) {
        callbacks.getInbox(inbox.id).data.firstOrNull()?.let { return it }
        Thread.sleep(100)
    }
    throw AssertionError("the ping did not come")
}

private fun readProblem() {
    val problem = problem(400) { planets.createPlanet(PlanetInput(name = "")) }
    expect(problem.type.path.endsWith("/invalid-body"), "the problem has its type")
    val fault: Fault = problem.errors?.single() ?: throw AssertionError("the problem has no errors")
    expectEqual("/name", fault.pointer)
    expect(fault.detail.isNotEmpty(), "the fault has a detail")
    done("problem with errors")
}

private fun delete(planetId: Long, webhookId: Long) {
    expectEqual(204, callbacks.deleteWebhookWithHttpInfo(webhookId).statusCode)
    val noWebhook = problem(404) { callbacks.getWebhook(webhookId) }
    expect(noWebhook.type.path.endsWith("/not-found"), "the problem has its type")
    expectEqual(204, planets.deletePlanetWithHttpInfo(planetId, null).statusCode)
    val noPlanet = problem(404) { planets.getPlanet(planetId) }
    expect(noPlanet.type.path.endsWith("/not-found"), "the problem has its type")
    done("delete")
}

/** The problem with which the service refuses a call. Moshi cannot read the enums of numbers in its subtypes. */
private fun problem(status: Int, call: () -> Any): Problem {
    val exception =
        try {
            throw AssertionError("it is not refused: ${call()}")
        } catch (exception: ClientException) {
            exception
        }
    expectEqual(status, exception.statusCode)
    val body = (exception.response as ClientError<*>).body as String
    val problem = Serializer.moshi.adapter(Problem::class.java).fromJson(body) ?: throw AssertionError("no problem")
    expectEqual(status, problem.status)
    return problem
}

private fun header(response: ApiResponse<*>, name: String): String =
    response.headers.entries.firstOrNull { it.key.equals(name, ignoreCase = true) }?.value?.first()
        ?: throw AssertionError("the response has no $name")

private fun expectEqual(expected: Any?, actual: Any?) = expect(expected == actual, "it is $actual and not $expected")

private fun expect(isTrue: Boolean, statement: String) {
    if (!isTrue) throw AssertionError(statement)
}

private fun done(step: String) = println(step)
