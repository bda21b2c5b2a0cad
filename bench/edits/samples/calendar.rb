# frozen_string_literal: true

require 'date'
require 'json'

module Calendar
  class ParseError < StandardError; end

  # An event that may repeat.
  class Event
    attr_reader :title, :starts_on, :ends_on, :repeats

    REPEATS = %i[never daily weekly monthly].freeze

    def initialize(title:, starts_on:, ends_on: nil, repeats: :never)
      raise ArgumentError, "unknown repeat: #{repeats}" unless REPEATS.include?(repeats)

      @title = title.strip
      @starts_on = starts_on
      @ends_on = ends_on || starts_on
      @repeats = repeats
    end

    def days
      (ends_on - starts_on).to_i + 1
    end

    # Whether the event takes place on that day.
    def on?(day)
      return false if day < starts_on

      case repeats
      when :never then day <= ends_on
      when :daily then true
      when :weekly then ((day - starts_on).to_i % 7) < days
      when :monthly then day.mday == starts_on.mday
      end
    end

    def to_h
      {
        title: title,
        starts_on: starts_on.iso8601,
        ends_on: ends_on.iso8601,
        repeats: repeats
      }
    end

    def self.from_h(data)
      new(
        title: data.fetch('title'),
        starts_on: Date.iso8601(data.fetch('starts_on')),
        ends_on: data['ends_on'] && Date.iso8601(data['ends_on']),
        repeats: (data['repeats'] || 'never').to_sym
      )
    rescue KeyError, Date::Error => e
      raise ParseError, "event can't be read: #{e.message}"
    end
  end

  class Book
    include Enumerable

    def initialize(path)
      @path = path
      @events = []
      @dirty = false
    end

    def each(&block)
      @events.sort_by(&:starts_on).each(&block)
    end

    def add(event)
      clash = find { |other| other.title == event.title && other.on?(event.starts_on) }
      if clash
        warn "\"#{event.title}\" is in the book already"
        return clash
      end
      @events << event
      @dirty = true
      event
    end

    def remove(title)
      before = @events.size
      @events.reject! { |event| event.title == title }
      @dirty ||= before != @events.size
      before - @events.size
    end

    def month(year, number)
      first = Date.new(year, number, 1)
      last = Date.new(year, number, -1)
      (first..last).to_h do |day|
        [day, select { |event| event.on?(day) }]
      end
    end

    def load
      return self unless File.exist?(@path)

      data = JSON.parse(File.read(@path))
      @events = data.map { |item| Event.from_h(item) }
      @dirty = false # what is on the disk is what we have
      self
    end

    def save
      return unless @dirty

      # Written beside it first: a crash must not lose the book.
      temporary = "#{@path}.new"
      File.write(temporary, JSON.pretty_generate(@events.map(&:to_h)))
      File.rename(temporary, @path)
      @dirty = false
    end
  end
end
