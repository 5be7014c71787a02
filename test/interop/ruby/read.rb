# frozen_string_literal: true

# Calls the operations of the first argument, with the token of a new user, and prints the ids of those whose responses
# the client understands.

$LOAD_PATH.unshift('lib')
require 'galaxy'
require 'securerandom'
require 'uri'

url = URI(ENV.fetch('GALAXY_URL'))
configuration = Galaxy::Configuration.new do |config|
  config.scheme = url.scheme
  config.host = "#{url.host}:#{url.port}"
end
client = Galaxy::ApiClient.new(configuration)
account = { email: "ruby-#{SecureRandom.hex(8)}@example.com", password: 'a password of a reader' }
authentication = Galaxy::AuthenticationApi.new(client)
authentication.create_user(Galaxy::SignUp.new(account))
configuration.access_token = authentication.get_token(Galaxy::Credentials.new(account)).token

JSON.parse(ARGV.fetch(0), symbolize_names: true).each do |operation|
  id = operation.fetch(:operationId)
  name = id.gsub(/(?<=[a-z])(?=[A-Z])/, '_').downcase
  Galaxy.const_get("#{operation.fetch(:tag)}Api").new(client).public_send(name)
  puts id
rescue StandardError => e
  puts "#{id}: #{e.message}"
end
