require 'json'
require_relative 'lib/store'

module Shop
  LIMIT = 10

  class Cart < Base::Entity
    include Enumerable
    extend Helpers
    attr_reader :store, :items

    def initialize(store = Store.new, *items, name: nil, &block)
      @store = store
      @items = items
      @count ||= 0
      super()
    end

    def self.build(options)
      new(options).tap { |cart| cart.check }
    end

    def total
      first = items.first
      items.each do |item|
        next unless item.fits?(LIMIT)
        first = item
      end
      @store.open(name: first)
      store.close
      prices.sum + Shop::Tax.rate
    end

    def prices
      return [] if items.empty?
      Price.new(self)
    end

    def name=(value)
      @name = value
    end

    private

    def check
      prices.show
      raise Error, "no #{total}" rescue nil
    rescue KeyError, Timeout::Error => e
      logger.warn(e.message)
      Cart.build(a: 1).total
    end
  end
end

cart = Shop::Cart.new
cart.total
