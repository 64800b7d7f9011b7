import type { WordsFor } from '../../contract/device.ts';
import type { timeCommands } from './contract.ts';

/** What the app says of it. */
export const timeWords = {
  part_time: ['Time', 'Uhrzeit', 'Hora'],
  yes: ['yes', 'ja', 'sí'],
  no: ['no', 'nein', 'no'],
  clockNow: ['Clock of the panel', 'Uhr des Panels', 'Reloj del panel'],
  clockNtp: ['Set by the network (NTP)', 'Vom Netz gestellt (NTP)', 'Ajustado por la red (NTP)'],
  clockSynchronized: ['Set now', 'Zurzeit gestellt', 'Ajustado ahora'],
  timeZone: ['Time zone', 'Zeitzone', 'Zona horaria'],
} satisfies WordsFor;

/** What its commands do. */
export const timeCommandWords = {
  'time.state': ['Read clock and time zone', 'Uhr und Zeitzone lesen', 'Leer el reloj y la zona horaria'],
  'time.change': [
    'Change clock or time zone',
    'Uhr oder Zeitzone ändern',
    'Cambiar el reloj o la zona horaria',
  ],
} satisfies WordsFor<keyof typeof timeCommands>;
