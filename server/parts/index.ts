import { apps } from './apps/part.ts';
import { buttons } from './buttons/part.ts';
import { climate } from './climate/part.ts';
import { display } from './display/part.ts';
import { gpio } from './gpio/part.ts';
import { idle } from './idle/part.ts';
import { led } from './led/part.ts';
import { modbus } from './modbus/part.ts';
import { network } from './network/part.ts';
import { noParts } from './part.ts';
import { power } from './power/part.ts';
import { proximity } from './proximity/part.ts';
import { readers } from './readers/part.ts';
import { serial } from './serial/part.ts';
import { rtc } from './sleep/part.ts';
import { sound } from './sound/part.ts';
import { terminal } from './terminal/part.ts';
import { time } from './time/part.ts';
import { udp } from './udp/part.ts';

/** The parts of the panel, in the order of their start. A part that needs another one comes after it. */
export const parts = noParts
  .with(gpio)
  .with(terminal)
  .with(led)
  .with(climate)
  .with(serial)
  .with(udp)
  .with(modbus)
  .with(power)
  .with(display)
  .with(idle)
  .with(rtc)
  .with(buttons)
  .with(readers)
  .with(proximity)
  .with(apps)
  .with(network)
  .with(time)
  .with(sound);

/** The parts that are up, with what they answer and report. */
export type StartedPanel = Awaited<ReturnType<typeof parts.start>>;
/** Their services, by name. */
export type Parts = StartedPanel['services'];
/** The commands that they answer. */
export type PartCommandName = keyof ReturnType<StartedPanel['answers']>;
