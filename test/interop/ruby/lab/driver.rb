# frozen_string_literal: true

# Calls every case of the laboratory once, with the client in the current folder (openapi-generator, ruby). LAB_URL is the
# bench, and LAB_SKIP names the cases to leave out. Operations and parameters are found by name, and the client's own
# decoder makes the values.

$LOAD_PATH.unshift('lib')
require 'galaxy'
require 'open-uri'
require 'tmpdir'

BENCH = URI(ENV.fetch('LAB_URL'))
SKIPPED = ENV.fetch('LAB_SKIP', '').split(',')
FOLDER = Dir.mktmpdir
at_exit { FileUtils.remove_entry(FOLDER) }

CLIENT = Galaxy::ApiClient.new(
  Galaxy::Configuration.new do |config|
    config.scheme = BENCH.scheme
    config.host = "#{BENCH.host}:#{BENCH.port}"
    config.base_path = BENCH.path
    config.logger = Logger.new($stderr)
  end
)

# A name without case and signs, which each generator writes in its own way.
def plain(name)
  name.to_s.downcase.gsub(/[^a-z0-9]/, '')
end

APIS = Galaxy.constants.grep(/Api\z/).map { |name| Galaxy.const_get(name).new(CLIENT) }
OPERATIONS = APIS.flat_map { |api| api.public_methods(false).map { |name| [plain(name), api.method(name)] } }.to_h

def operation(id)
  OPERATIONS[plain("#{id}WithHttpInfo")]
end

# Names and types of the parameters of an operation, as the comment above it documents them.
def types_of(method)
  file, line = method.source_location
  comment = File.readlines(file)[...(line - 1)].reverse.take_while { |each| each.lstrip.start_with?('#') }.reverse
  comment.join.scan(/@(?:param (\w+) \[(.+?)\] ?$|option opts \[(.+?)\] :(\w+))/).to_h do |name, type, optional, option|
    [(name || option).to_sym, type || optional]
  end
end

def file_of(name, bytes)
  path = File.join(FOLDER, name)
  File.binwrite(path, bytes.unpack1('m'))
  File.open(path, 'rb')
end

# A value of the catalogue as the type that the client documents.
def decode(value, type)
  return [*value].map { |item| decode(item, 'File') } if type == 'Array<File>'

  case value
  in { '$file': file } then return file_of(file.fetch(:name), file.fetch(:bytes))
  in { '$bytes': bytes } if type == 'File' then return file_of('body.bin', bytes)
  else decoded = CLIENT.convert_to_type(without_tags(value), type)
  end
  raise "the client decodes #{value.to_json} as nil" if decoded.nil? && !value.nil?

  decoded
end

# Dates, numbers and bytes are texts in JSON.
def without_tags(value)
  case value
  in { '$int64': text } then Integer(text, 10)
  in { '$date': String } | { '$dateTime': String } | { '$bytes': String } then value.values.first
  in Hash then value.transform_values { |member| without_tags(member) }
  in Array then value.map { |item| without_tags(item) }
  else value
  end
end

# The given values by the name of their parameter. A generator appends a digit to the second of a name.
def match(given, types)
  given.each_with_object({}) do |(name, value), matched|
    key = types.keys.find { |each| plain(each).match?(/\A#{plain(name)}\d?\z/) && !matched.key?(each) }
    raise "no parameter for #{name}" unless key

    matched[key] = decode(value, types.fetch(key))
  end
end

def call(method, values)
  required = method.parameters.filter_map { |kind, name| name if kind == :req }
  method.call(*required.map { |name| values[name] }, values.except(*required))
end

def call_case(method, input)
  types = types_of(method)
  given = input.fetch(:parameters).values.flat_map(&:to_a)
  body = input[:body]
  members = body && %w[application/x-www-form-urlencoded multipart/form-data].include?(body[:mediaType])
  values = match(members ? given + body.fetch(:value).to_a : given, types)
  values[types.keys.last] = decode(body.fetch(:value), types.values.last) if body && !members
  call(method, values)
end

# What the client has decoded goes back: as it is, or as members of a report, which is an object of its own.
def call_response(id)
  report = operation("#{id}Report")
  data, status, headers = begin
    call(operation(id), {})
  rescue Galaxy::ApiError => e
    raise unless e.code&.positive?

    [JSON.parse(e.response_body, object_class: OpenStruct), e.code, e.response_headers]
  end
  return unless report

  name, type = types_of(report).first
  call(report, { name => type.end_with?('Outcome') ? outcome(Galaxy.const_get(type), data, status, headers) : data })
end

def outcome(type, data, status, headers)
  type.new(type.openapi_types.to_h do |name, member|
    header = headers["X-#{name.to_s.capitalize}"]
    next [name, status] if name == :status
    next [name, CLIENT.convert_to_type(member.start_with?('Array') ? header.split(',') : header, member.to_s)] if header
    raise "the response is decoded as #{data.class}, without #{name}" unless data.respond_to?(name)

    [name, data.public_send(name)]
  end)
end

JSON.parse(URI.join("#{BENCH}/", '../../cases').open.read, symbolize_names: true).fetch(:cases).each do |each|
  id, method = each.values_at(:id, :method)
  name = each.fetch(:operationId)
  found = operation(name)
  next if !found || SKIPPED.include?(id) || SKIPPED.include?("#{each.fetch(:group)}/*")

  if each.fetch(:group) == 'response'
    call_response(name)
  else
    # The user of this client encodes bytes.
    each.dig(:input, :body, :value, :bytes, :$bytes).tr!('+/', '-_') if id == 'body/base64url'
    call(operation("#{name}First"), {}) if operation("#{name}First")
    call_case(found, each.fetch(:input))
  end
rescue StandardError => e
  puts JSON.generate({ case: id, error: e.message.lines(chomp: true).first(2).join('. ') })
end
