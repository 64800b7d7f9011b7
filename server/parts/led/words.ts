import type { WordsFor } from '../../contract/device.ts';
import type { ledCommands } from './contract.ts';

/** What the app says of it. */
export const ledWords = {
  part_led: ['LED bar', 'LED-Leiste', 'Barra LED'],
  ledBar: ['LED bar', 'LED-Leiste', 'Barra LED'],
  red: ['Red', 'Rot', 'Rojo'],
  green: ['Green', 'Grün', 'Verde'],
  blue: ['Blue', 'Blau', 'Azul'],
  white: ['White', 'Weiß', 'Blanco'],
  amber: ['Amber', 'Bernstein', 'Ámbar'],
  violet: ['Violet', 'Violett', 'Violeta'],
  ledColours: ['Colours', 'Farben', 'Colores'],
  ledOwn: ['Another colour', 'Andere Farbe', 'Otro color'],
  ledBrightness: ['Brightness', 'Helligkeit', 'Brillo'],
} satisfies WordsFor;

/** What its commands do. */
export const ledCommandWords = {
  'led.state': ['Read the LED bar', 'Die LED-Leiste lesen', 'Leer la barra LED'],
  'led.on': ['Switch the LED bar', 'Die LED-Leiste schalten', 'Encender o apagar la barra LED'],
  'led.color': [
    'Change the colour of the LED bar',
    'Die Farbe der LED-Leiste ändern',
    'Cambiar el color de la barra LED',
  ],
} satisfies WordsFor<keyof typeof ledCommands>;
