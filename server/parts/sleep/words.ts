import type { WordsFor } from '../../contract/device.ts';
import type { rtcCommands } from './contract.ts';

/** How the part is called. */
export const sleepWords = {
  part_rtc: ['Wake alarm', 'Wecker', 'Despertador'],
} satisfies WordsFor;

/** What its commands do. */
export const sleepCommandWords = {
  'rtc.alarm': ['Read the sleep schedule', 'Den Schlafplan lesen', 'Leer el horario de reposo'],
  'rtc.setAlarm': ['Change the sleep schedule', 'Den Schlafplan ändern', 'Cambiar el horario de reposo'],
} satisfies WordsFor<keyof typeof rtcCommands>;
