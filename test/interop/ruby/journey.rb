# frozen_string_literal: true

# The journey, with the client that openapi-generator writes for Ruby.

$LOAD_PATH.unshift('lib')
require 'galaxy'
require 'securerandom'
require 'uri'

PAGE_SIZE = 4
PAGES = 3
SECONDS_UNTIL_CALLED = 60

# Ends the program if two values differ in type or content.
def expect(actual, expected, what)
  raise "#{what}: #{actual.inspect} is not #{expected.inspect}" unless actual.eql?(expected)
end

# The typed problem of a call that fails. The client raises an ApiError with the text of the body, and leaves it to its
# users to make an object of it.
def problem_of(status, type)
  yield
rescue Galaxy::ApiError => e
  expect(e.code, status, 'the status of the problem')
  problem = type.build_from_hash(JSON.parse(e.response_body))
  expect(problem.status, status, 'its member status')
  problem
else
  raise "The call succeeded, but #{status} was expected."
end

def done(step)
  puts step
  $stdout.flush
end

url = URI(ENV.fetch('GALAXY_URL'))
configuration = Galaxy::Configuration.new do |config|
  config.scheme = url.scheme
  config.host = "#{url.host}:#{url.port}"
end
client = Galaxy::ApiClient.new(configuration)
authentication = Galaxy::AuthenticationApi.new(client)
planets = Galaxy::PlanetsApi.new(client)
callbacks = Galaxy::CallbacksApi.new(client)

email = "ruby-#{SecureRandom.hex(8)}@example.com"
password = 'a password of a journey'
user = authentication.create_user(Galaxy::SignUp.new(email: email, password: password, name: 'Asaph Hall'))
expect(user.class, Galaxy::User, 'the user')
expect(user.id.class, Integer, 'the id of the user')
expect(user.name, 'Asaph Hall', 'the name of the user')
done('sign up')

token = authentication.get_token(Galaxy::Credentials.new(email: email, password: password))
configuration.access_token = token.token
expect(authentication.get_me.id, user.id, 'whose token it is')
done('token')

input = Galaxy::PlanetInput.new(
  name: 'Mars of Ruby',
  type: Galaxy::PlanetKind::Terrestrial,
  habitability_index: 0.68,
  physical_properties: Galaxy::PhysicalProperties.new(
    mass: 0.107123456789,
    radius: 0.532000000001,
    gravity: 0.378,
    temperature: Galaxy::Temperature.new(min: 130.15, max: 308.25, average: 210.05)
  ),
  atmosphere: [
    Galaxy::AtmosphereComponent.new(compound: 'CO2', percentage: 95.32),
    Galaxy::AtmosphereComponent.new(compound: 'N2', percentage: 2.7)
  ],
  # Not a Time: Ruby's JSON writes "1610-01-07 19:30:00 UTC" for it.
  discovered_at: DateTime.iso8601('1610-01-07T19:30:00Z'),
  tags: ['red', 'with moons'],
  satellites: [
    Galaxy::SatelliteInput.new(
      name: 'Phobos',
      diameter: 22.533,
      type: Galaxy::SatelliteKind::Moon,
      orbit: Galaxy::SatelliteOrbitInput.new(orbital_period: 0.3189, distance: 9376.25)
    )
  ]
)
planet, status, headers = planets.create_planet_with_http_info(input)
expect(status, 201, 'the status of a new planet')
expect(planet.class, Galaxy::Planet, 'the planet')
expect(planet.id.class, Integer, 'the id of the planet')
expect(URI(headers['Location']).path, "/planets/#{planet.id}", 'the header Location')
expect(planet.name, 'Mars of Ruby', 'the name')
expect(planet.type, Galaxy::PlanetKind::Terrestrial, 'the type')
expect(planet.habitability_index, 0.68, 'the index')
expect(planet.physical_properties.class, Galaxy::PhysicalProperties, 'the properties')
expect(planet.physical_properties, input.physical_properties, 'the properties')
expect(planet.physical_properties.mass, 0.107123456789, 'the mass')
expect(planet.physical_properties.temperature.average, 210.05, 'the temperature')
expect(planet.atmosphere, input.atmosphere, 'the atmosphere')
expect(planet.discovered_at, input.discovered_at.to_time, 'when it was discovered')
expect(planet.tags, ['red', 'with moons'], 'the tags')
satellite = planet.satellites.first
expect(satellite.class, Galaxy::Satellite, 'the satellite')
expect(satellite.id.class, Integer, 'the id of the satellite')
expect(satellite.type, Galaxy::SatelliteKind::Moon, 'the type of the satellite')
expect(satellite.diameter, 22.533, 'the diameter of the satellite')
expect(satellite.orbit.distance, 9376.25, 'the distance of the satellite')
expect(planet.creator.id, user.id, 'the creator')
expect(planet.last_updated.class, Time, 'when it was updated')
done('create a planet')

offset = 0
seen = []
PAGES.times do
  page = planets.get_all_data(limit: PAGE_SIZE, offset: offset)
  expect(page.class, Galaxy::PlanetPage, 'the page')
  expect(page.meta.offset, offset, 'the offset of the page')
  expect(page.data.map(&:class), [Galaxy::Planet] * PAGE_SIZE, 'the items of the page')
  seen.concat(page.data.map(&:id))
  offset = URI.decode_www_form(URI(page.meta._next).query).to_h.fetch('offset').to_i
end
expect(seen.uniq.length, PAGES * PAGE_SIZE, 'how many different planets there are')
done('page through planets')

planet, _, headers = planets.get_planet_with_http_info(planet.id)
etag = headers['ETag']
input.name = 'Mars, named again'
replaced = planets.update_planet(planet.id, input, if_match: etag)
expect(replaced.class, Galaxy::Planet, 'the planet')
expect(replaced.name, 'Mars, named again', 'the new name')
expect(replaced.physical_properties.mass, 0.107123456789, 'the mass')
problem = problem_of(412, Galaxy::PreconditionFailedError) { planets.update_planet(planet.id, input, if_match: etag) }
expect(problem.type.end_with?('precondition-failed'), true, "the type #{problem.type}")
done('replace with If-Match')

picture = ENV.fetch('PICTURE')
uploaded = File.open(picture) { |file| planets.upload_image(planet.id, file) }
expect(uploaded.class, Galaxy::ImageUploadedMessage, 'the answer')
expect(uploaded.mime_type, 'image/png', 'the type of the picture')
expect(uploaded.file_size, File.size(picture), 'the size of the picture')
done('upload a picture')

inbox = callbacks.create_inbox(inbox_input: Galaxy::InboxInput.new(status: 204))
expect(inbox.class, Galaxy::Inbox, 'the inbox')
secret = SecureRandom.hex(16)
webhook = callbacks.create_webhook(
  Galaxy::WebhookInput.new(
    url: inbox.url,
    events: [Galaxy::SubscribableEvent::NEW_PLANET],
    auth: Galaxy::BearerReceiverAuth.new(scheme: 'bearerAuth', token: secret)
  )
)
expect(webhook.class, Galaxy::CreatedWebhook, 'the webhook')
expect(webhook.events, [Galaxy::SubscribableEvent::NEW_PLANET], 'the events')
expect(webhook.auth.scheme, Galaxy::ReceiverScheme::BEARER_AUTH, 'the scheme of the credential')
expect(webhook.to_s.include?(secret), false, 'that the response has the credential')
callbacks.ping_webhook(webhook.id)
deadline = Time.now + SECONDS_UNTIL_CALLED
calls = []
while calls.empty?
  raise 'The ping did not come.' if Time.now > deadline

  sleep 0.2
  calls = callbacks.get_inbox(inbox.id).data
end
expect(calls.first.class, Galaxy::ReceivedCall, 'the call')
sent = calls.first.headers.to_h { |header| [header.name.downcase, header.value] }
expect(sent['authorization'], "Bearer #{secret}", 'the credential of the call')
done('webhook with a credential')

# The client itself refuses an empty name, but does not look into lists.
unnamed = Galaxy::PlanetInput.new(name: 'Venus of Ruby', tags: [''])
problem = problem_of(400, Galaxy::BadRequestError) { planets.create_planet(unnamed) }
expect(problem.type.end_with?('/problems/invalid-body'), true, 'the type')
expect(problem.errors.first.class, Galaxy::Fault, 'a fault')
expect(problem.errors.first.pointer, '/tags/0', 'where the fault is')
done('problem with errors')

_, status, = callbacks.delete_webhook_with_http_info(webhook.id)
expect(status, 204, 'the status of a webhook that is deleted')
_, status, = planets.delete_planet_with_http_info(planet.id)
expect(status, 204, 'the status of a planet that is deleted')
problem_of(404, Galaxy::NotFoundError) { planets.get_planet(planet.id) }
done('delete')
