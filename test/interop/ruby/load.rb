# frozen_string_literal: true

# Loads every file of the client in the current folder, and prints how many there are.

$LOAD_PATH.unshift('lib')
require 'galaxy'
files = Dir.glob('**/*.rb', base: 'lib')
files.each { |file| require file }
puts files.length
