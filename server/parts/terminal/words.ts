import type { WordsFor } from '../../contract/device.ts';
import type { terminalCommands } from './contract.ts';

/** What the app says of it. */
export const terminalWords = {
  part_terminal: ['Command line', 'Befehlszeile', 'Línea de órdenes'],
  commandLine: ['Command line', 'Befehlszeile', 'Línea de órdenes'],
  commandLineHint: [
    'Runs a command on the panel, for 30 s at most. Only a token with the scope "terminal" may.',
    'Führt einen Befehl auf dem Panel aus, höchstens 30 s lang. Das darf nur ein Token mit dem Recht „terminal“.',
    'Ejecuta una orden en el panel, 30 s como máximo. Solo puede un token con el permiso «terminal».',
  ],
  shellCommand: ['Command', 'Befehl', 'Orden'],
  exitCode: [
    'Exit code {code}, {duration}',
    'Rückgabewert {code}, {duration}',
    'Código de salida {code}, {duration}',
  ],
} satisfies WordsFor;

/** What its commands do. */
export const terminalCommandWords = {
  'terminal.exec': ['Run a command', 'Einen Befehl ausführen', 'Ejecutar una orden'],
} satisfies WordsFor<keyof typeof terminalCommands>;
