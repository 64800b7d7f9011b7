import type { WordsFor } from '../../contract/device.ts';
import type { tcpCommands } from './contract.ts';

/** What its commands do. */
export const tcpCommandWords = {
  'tcp.open': [
    'Connect to a device (TCP)',
    'Mit einem Gerät verbinden (TCP)',
    'Conectar con un dispositivo (TCP)',
  ],
  'tcp.send': ['Send to a device (TCP)', 'An ein Gerät senden (TCP)', 'Enviar a un dispositivo (TCP)'],
  'tcp.close': ['End a connection (TCP)', 'Eine Verbindung beenden (TCP)', 'Terminar una conexión (TCP)'],
} satisfies WordsFor<keyof typeof tcpCommands>;
