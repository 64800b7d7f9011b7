import { definePart } from '../part.ts';
import { terminalCommands } from './contract.ts';
import { ShellProcess } from './process.ts';
import { TerminalService } from './service.ts';

/** Command lines of callers with the scope `terminal`. */
export const terminal = definePart(
  'terminal',
  ({ settings, log }) =>
    new TerminalService({ driver: new ShellProcess(), enabled: () => settings()['terminal.enabled'], log }),
).answering(terminalCommands);
