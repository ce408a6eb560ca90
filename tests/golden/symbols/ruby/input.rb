# frozen_string_literal: true

require 'json'
require_relative './tax'

# Things to buy.
module Shop
  # Comments may stand here.
  VERSION = '1.0'

  # What a customer wants.
  class Cart < Base
    include Comparable

    attr_reader :items, :owner
    attr_accessor :tax
    DEFAULTS = { a: 1 }.freeze
    @@count = 0

    # Makes one.
    def initialize(owner, items: [])
      @owner = owner
    end

    def self.build(*args)
      new(*args)
    end

    def empty?
      # inside
      local = 1
      items.each { |i| i.check }
    end

    def total=(value)
    end

    alias size count

    private

    def secret
      1
    end

    public

    # Counted once.
    private def tally
      2
    end

    def count; end
    private :count

    class << self
      def parse(text)
        text
      end
    end
  end

  class Cart::Line; end
  Point = Struct.new(:x, :y)
end

describe Shop::Cart do
  it 'adds' do
    expect(1).to eq(1)
  end
end

def helper; end
