//! Climate control of a greenhouse: sensors in, valves and fans out.

use std::collections::HashMap;
use std::fmt;

const MAX_FANS: usize = 6;
const MIN_HUMIDITY: f32 = 0.35;
const MAX_HUMIDITY: f32 = 0.85;

#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    Temperature(f32),
    Humidity(f32),
    Soil { bed: u8, moisture: f32 },
}

#[derive(Debug)]
pub enum ControlError {
    UnknownBed(u8),
    SensorSilent { name: String, seconds: u64 },
    TooManyFans(usize),
}

impl fmt::Display for ControlError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlError::UnknownBed(bed) => write!(out, "there is no bed {}", bed),
            ControlError::SensorSilent { name, seconds } => {
                write!(out, "sensor {} has been silent for {} s", name, seconds)
            }
            ControlError::TooManyFans(count) => write!(out, "{} fans, at most {}", count, MAX_FANS),
        }
    }
}

pub struct Bed {
    pub target: f32,
    pub moisture: f32,
    pub valve_open: bool,
}

pub struct Greenhouse {
    beds: HashMap<u8, Bed>,
    temperature: f32,
    humidity: f32,
    fans: usize,
}

impl Greenhouse {
    pub fn new() -> Self {
        Greenhouse {
            beds: HashMap::new(),
            temperature: 20.0,
            humidity: 0.6,
            fans: 0,
        }
    }

    pub fn add_bed(&mut self, number: u8, target: f32) {
        let bed = Bed { target, moisture: target, valve_open: false };
        self.beds.insert(number, bed);
    }

    pub fn take(&mut self, reading: Reading) -> Result<(), ControlError> {
        match reading {
            Reading::Temperature(degrees) => self.temperature = degrees,
            Reading::Humidity(share) => self.humidity = share.clamp(0.0, 1.0),
            Reading::Soil { bed, moisture } => {
                let found = self.beds.get_mut(&bed).ok_or(ControlError::UnknownBed(bed))?;
                found.moisture = moisture;
            }
        }
        Ok(())
    }

    pub fn open_valves(&mut self) -> usize {
        let mut opened = 0;
        for bed in self.beds.values_mut() {
            if bed.moisture < bed.target - 0.05 && !bed.valve_open {
                bed.valve_open = true;
                opened += 1;
            }
        }
        opened
    }

    pub fn close_valves(&mut self) -> usize {
        let mut closed = 0;
        for bed in self.beds.values_mut() {
            if bed.moisture > bed.target + 0.02 && bed.valve_open {
                bed.valve_open = false;
                closed += 1;
            }
        }
        closed
    }

    pub fn set_fans(&mut self, count: usize) -> Result<(), ControlError> {
        if count > MAX_FANS {
            return Err(ControlError::TooManyFans(count));
        }
        self.fans = count;
        Ok(())
    }

    pub fn step(&mut self) -> Result<(), ControlError> {
        self.open_valves();
        self.close_valves();
        let wanted = if self.temperature > 30.0 {
            MAX_FANS // as hot as it may get
        } else if self.temperature > 26.0 || self.humidity > MAX_HUMIDITY {
            3
        } else if self.humidity < MIN_HUMIDITY {
            0
        } else {
            1
        };
        self.set_fans(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_bed_gets_water() {
        let mut house = Greenhouse::new();
        house.add_bed(1, 0.5);
        house.take(Reading::Soil { bed: 1, moisture: 0.3 }).unwrap();
        assert_eq!(house.open_valves(), 1);
    }

    #[test]
    fn a_wet_bed_gets_none() {
        let mut house = Greenhouse::new();
        house.add_bed(2, 0.5);
        house.take(Reading::Soil { bed: 2, moisture: 0.7 }).unwrap();
        assert_eq!(house.open_valves(), 0);
    }
}
