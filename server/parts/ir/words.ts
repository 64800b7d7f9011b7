import type { WordsFor } from '../../contract/device.ts';
import type { irCommands } from './contract.ts';

/** What the app says of it. */
export const irWords = {
  part_ir: ['Infrared', 'Infrarot', 'Infrarrojos'],
  irCode: ['Code (Pronto hex)', 'Code (Pronto-Hex)', 'Código (Pronto hex)'],
  irLearn: ['Learn a key', 'Taste anlernen', 'Aprender una tecla'],
  irLearning: [
    'Point the remote control at the receiver, and press the key.',
    'Die Fernbedienung auf den Empfänger richten und die Taste drücken.',
    'Apunta el mando al receptor y pulsa la tecla.',
  ],
  irLearned: ['Learned', 'Angelernt', 'Aprendido'],
  irSend: ['Send from {port}', 'Senden an {port}', 'Enviar por {port}'],
  irSent: ['{port} has sent {ms} ms', '{port} hat {ms} ms gesendet', '{port} ha enviado {ms} ms'],
} satisfies WordsFor;

/** What its commands do. */
export const irCommandWords = {
  'ir.list': ['Read the infrared ports', 'Die Infrarotanschlüsse lesen', 'Leer los puertos de infrarrojos'],
  'ir.send': ['Send an infrared code', 'Einen Infrarotcode senden', 'Enviar un código de infrarrojos'],
  'ir.learn': [
    'Learn a key of a remote control',
    'Eine Taste einer Fernbedienung anlernen',
    'Aprender una tecla de un mando',
  ],
} satisfies WordsFor<keyof typeof irCommands>;
