import { clamp, roundTo } from "./numbers";
import type { Locale } from "./locale";

export type Unit = "metre" | "foot" | "kilogram" | "pound" | "celsius" | "fahrenheit";

export interface Quantity {
  readonly value: number;
  readonly unit: Unit;
}

export interface FormatOptions {
  digits?: number;
  locale?: Locale;
  short?: boolean; // "5 m" for "5 metres"
}

const FEET_IN_A_METRE = 3.28084;
const POUNDS_IN_A_KILOGRAM = 2.20462;
const DEFAULT_DIGITS = 1;

const SHORT_NAMES: Record<Unit, string> = {
  metre: "m",
  foot: "ft",
  kilogram: "kg",
  pound: "lb",
  celsius: "°C",
  fahrenheit: "°F",
};

export function metresToFeet(quantity: Quantity): Quantity {
  if (quantity.unit !== "metre") {
    throw new TypeError(`expected metres, got ${quantity.unit}`);
  }
  return { value: quantity.value * FEET_IN_A_METRE, unit: "foot" };
}

export function feetToMetres(quantity: Quantity): Quantity {
  if (quantity.unit !== "foot") {
    throw new TypeError(`expected feet, got ${quantity.unit}`);
  }
  return { value: quantity.value / FEET_IN_A_METRE, unit: "metre" };
}

export function kilogramsToPounds(quantity: Quantity): Quantity {
  if (quantity.unit !== "kilogram") {
    throw new TypeError(`expected kilograms, got ${quantity.unit}`);
  }
  return { value: quantity.value * POUNDS_IN_A_KILOGRAM, unit: "pound" };
}

export function celsiusToFahrenheit(quantity: Quantity): Quantity {
  if (quantity.unit !== "celsius") {
    throw new TypeError(`expected degrees Celsius, got ${quantity.unit}`);
  }
  return { value: quantity.value * 1.8 + 32, unit: "fahrenheit" };
}

export function format(quantity: Quantity, options: FormatOptions = {}): string {
  const digits = clamp(options.digits ?? DEFAULT_DIGITS, 0, 6);
  const value = roundTo(quantity.value, digits);
  const text = options.locale ? value.toLocaleString(options.locale.code) : String(value);
  if (options.short) {
    return `${text} ${SHORT_NAMES[quantity.unit]}`;
  }
  return `${text} ${plural(quantity.unit, value)}`;
}

export function parse(text: string): Quantity | null {
  const found = /^\s*(-?\d+(?:\.\d+)?)\s*(\S+)\s*$/.exec(text);
  if (found === null) {
    return null;
  }
  const unit = unitNamed(found[2]);
  return unit === null ? null : { value: Number(found[1]), unit };
}

function unitNamed(name: string): Unit | null {
  for (const [unit, short] of Object.entries(SHORT_NAMES)) {
    if (name === short || name === unit || name === plural(unit as Unit, 2)) {
      return unit as Unit;
    }
  }
  return null;
}

function plural(unit: Unit, value: number): string {
  if (value === 1) {
    return unit;
  }
  switch (unit) {
    case "foot":
      return "feet";
    case "celsius":
      return "degrees Celsius";
    case "fahrenheit":
      return "degrees Fahrenheit";
    default:
      return `${unit}s`;
  }
}

export class Converter {
  private readonly history: Quantity[] = [];

  constructor(private readonly limit: number = 20) {}

  convert(quantity: Quantity, to: Unit): Quantity {
    const result = this.lookup(quantity, to);
    this.history.push(result);
    if (this.history.length > this.limit) {
      this.history.shift();
    }
    return result;
  }

  last(): Quantity | undefined {
    return this.history[this.history.length - 1];
  }

  private lookup(quantity: Quantity, to: Unit): Quantity {
    const key = `${quantity.unit} ${to}`;
    switch (key) {
      case "metre foot":
        return metresToFeet(quantity);
      case "foot metre":
        return feetToMetres(quantity);
      case "kilogram pound":
        return kilogramsToPounds(quantity);
      case "celsius fahrenheit":
        return celsiusToFahrenheit(quantity);
      default:
        throw new RangeError(`no way from ${quantity.unit} to ${to}`);
    }
  }
}
