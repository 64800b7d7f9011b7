import type { WordsFor } from '../../contract/device.ts';
import type { serialCommands } from './contract.ts';

/** What the app says of it. */
export const serialWords = {
  part_serial: ['Serial port', 'Serielle Schnittstelle', 'Puerto serie'],
  serialTerminal: ['Serial terminal', 'Serielles Terminal', 'Terminal serie'],
  baudRate: ['Baud', 'Baud', 'Baudios'],
  line_open: ['open', 'offen', 'abierto'],
  line_closed: ['closed', 'geschlossen', 'cerrado'],
  line_lost: ['unplugged', 'abgezogen', 'desconectado'],
  listen: ['Show what arrives', 'Zeigen, was ankommt', 'Mostrar lo que llega'],
  traffic: ['What was sent and received', 'Gesendet und empfangen', 'Enviado y recibido'],
  sentMark: ['sent', 'gesendet', 'enviado'],
  receivedMark: ['received', 'empfangen', 'recibido'],
  serialMonitor: ['Serial monitor', 'Serieller Monitor', 'Monitor serie'],
  serialMonitorHint: [
    'All that goes over the serial ports, whoever sends it: pages, programs and Modbus too. It takes nothing away from them.',
    'Alles, was über die seriellen Schnittstellen geht, gleich von wem: auch von Seiten, Programmen und Modbus. Es nimmt ihnen nichts weg.',
    'Todo lo que pasa por los puertos serie, lo envíe quien lo envíe: también páginas, programas y Modbus. No les quita nada.',
  ],
  lookOn: ['Monitor', 'Mitlesen', 'Supervisar'],
  allPorts: ['all ports', 'alle Schnittstellen', 'todos los puertos'],
  writing: ['Format', 'Format', 'Formato'],
  asText: ['text', 'Text', 'texto'],
  asHex: ['hex', 'Hex', 'hex'],
  lineEnd: ['Line end', 'Zeilenende', 'Fin de línea'],
  end_none: ['none', 'keines', 'ninguno'],
  end_cr: ['CR', 'CR', 'CR'],
  end_lf: ['LF', 'LF', 'LF'],
  end_crlf: ['CR LF', 'CR LF', 'CR LF'],
  peerSends: ['Simulate reply', 'Antwort simulieren', 'Simular respuesta'],
} satisfies WordsFor;

/** What its commands do. */
export const serialCommandWords = {
  'serial.write': [
    'Send on a serial line',
    'Auf einer seriellen Leitung senden',
    'Enviar por una línea serie',
  ],
  'serial.read': ['Read a serial line', 'Eine serielle Leitung lesen', 'Leer una línea serie'],
  'serial.break': [
    'Send a break on a serial line',
    'Ein Break auf einer seriellen Leitung senden',
    'Enviar un break por una línea serie',
  ],
  'serial.monitor': [
    'Watch the serial lines',
    'Die seriellen Leitungen mitlesen',
    'Observar las líneas serie',
  ],
  'serial.close': ['Close a serial line', 'Eine serielle Leitung schließen', 'Cerrar una línea serie'],
} satisfies WordsFor<keyof typeof serialCommands>;
