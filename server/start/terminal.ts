import { join } from 'node:path';
import { qrRows } from '../kiosk/qrCode.ts';
import { manageUrlOf } from '../kiosk/settingsPage/service.ts';
import type { Core } from '../parts/part.ts';
import { isLoopback } from '../platform/net/addresses.ts';

/** What the terminal shows once all runs. @param localUrl of the API on this machine */
export function whereToGo({ http, kiosk, loaded, dataDir }: Core, localUrl: string): string {
  const { host } = http.outside;
  return placesToGo({
    manageUrl: host === 'localhost' || isLoopback(host) ? null : manageUrlOf(http.web),
    localUrl: `${localUrl}/manage/`,
    tokenFile: join(dataDir, 'token'),
    hasScreen: kiosk.hasScreen(),
    hasWizard: loaded.settings.wizard,
    columns: process.stdout.columns || 80,
  });
}

/** What a person at the terminal needs to know of the panel that runs now. */
interface Started {
  /** The address of `/manage/` on the network; null where no other machine gets there. */
  readonly manageUrl: string | null;
  /** The same on this machine. */
  readonly localUrl: string;
  readonly tokenFile: string;
  /** Whether it shows a page here. */
  readonly hasScreen: boolean;
  /** Whether it asks a person for its settings by itself. */
  readonly hasWizard: boolean;
  /** Characters in a line of the terminal. */
  readonly columns: number;
}

/**
 * Where to go from here, with the address of `/manage/` as a QR code. The code holds the address alone: a terminal is
 * recorded and shared, so nothing in this text lets anybody in.
 */
export function placesToGo({
  manageUrl,
  localUrl,
  tokenFile,
  hasScreen,
  hasWizard,
  columns,
}: Started): string {
  const rows = [
    ['Manage it', manageUrl ?? localUrl],
    ['Sign in', `with the token in ${tokenFile}`],
    ...(hasScreen ? [['Settings', 'Ctrl+Alt+S on the panel, or five fingers for five seconds']] : []),
    ...(hasScreen && !hasWizard ? [['First set-up', 'npm start -- --wizard, with a new data folder']] : []),
    ['Stop', 'Ctrl+C'],
  ] as const;
  const lines = ['', '  Faceplate is running.', ''];
  for (const [name, words] of rows) lines.push(`  ${name!.padEnd(14)}${words}`);
  const code = manageUrl === null ? [] : qrLines(manageUrl);
  if (code.length > 0 && code[0]!.length + 2 <= columns)
    lines.push('', ...code.map((line) => `  \u001b[30;107m${line}\u001b[0m`));
  return [...lines, ''].join('\n');
}

/** A QR code of half blocks, two rows in a line: dark on white, as its scanners want it. */
function qrLines(address: string): string[] {
  const rows = qrRows(address);
  const isDark = (x: number, y: number) => rows[y]?.[x] === '1';
  const lines: string[] = [];
  for (let y = 0; y < rows.length; y += 2)
    lines.push(
      [...rows[y]!]
        .map((_, x) => (isDark(x, y) ? (isDark(x, y + 1) ? '█' : '▀') : isDark(x, y + 1) ? '▄' : ' '))
        .join(''),
    );
  return lines;
}
