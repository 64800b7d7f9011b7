// Generated from the profile.ts of all parts by build/generate/main.ts. Do not edit it.
import { appsProfile } from '../apps/profile.ts';
import { buttonsProfile } from '../buttons/profile.ts';
import { climateProfile } from '../climate/profile.ts';
import { gpioProfile } from '../gpio/profile.ts';
import { irProfile } from '../ir/profile.ts';
import { ledProfile } from '../led/profile.ts';
import { networkProfile } from '../network/profile.ts';
import { powerProfile } from '../power/profile.ts';
import type { PartProfile } from '../profile.ts';
import { proximityProfile } from '../proximity/profile.ts';
import { readersProfile } from '../readers/profile.ts';
import { serialProfile } from '../serial/profile.ts';
import { rtcProfile } from '../sleep/profile.ts';
import { soundProfile } from '../sound/profile.ts';
import { timeProfile } from '../time/profile.ts';

/** What each part is in a board profile. */
export const profiles = {
  gpio: gpioProfile,
  led: ledProfile,
  climate: climateProfile,
  buttons: buttonsProfile,
  readers: readersProfile,
  ir: irProfile,
  proximity: proximityProfile,
  serial: serialProfile,
  rtc: rtcProfile,
  power: powerProfile,
  apps: appsProfile,
  network: networkProfile,
  time: timeProfile,
  sound: soundProfile,
} satisfies Readonly<Record<string, PartProfile>>;
