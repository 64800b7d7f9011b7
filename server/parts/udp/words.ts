import type { WordsFor } from '../../contract/device.ts';
import type { udpCommands } from './contract.ts';

/** What the app says of it. */
export const udpWords = {
  part_udp: ['UDP', 'UDP', 'UDP'],
  udpTerminal: ['UDP', 'UDP', 'UDP'],
  udpHint: [
    'One datagram to an address of the local network.',
    'Ein Datagramm an eine Adresse im lokalen Netz.',
    'Un datagrama a una dirección de la red local.',
  ],
  udpHost: ['IP address', 'IP-Adresse', 'Dirección IP'],
  udpSent: [
    '{bytes} bytes have left for {to}.',
    '{bytes} Bytes sind an {to} gegangen.',
    'Han salido {bytes} bytes hacia {to}.',
  ],
} satisfies WordsFor;

/** What its commands do. */
export const udpCommandWords = {
  'udp.send': ['Send to a device (UDP)', 'An ein Gerät senden (UDP)', 'Enviar a un dispositivo (UDP)'],
  'udp.listen': ['Listen to devices (UDP)', 'Geräten zuhören (UDP)', 'Escuchar dispositivos (UDP)'],
  'udp.unlisten': ['End listening (UDP)', 'Das Zuhören beenden (UDP)', 'Dejar de escuchar (UDP)'],
} satisfies WordsFor<keyof typeof udpCommands>;
