import { writeFile } from 'node:fs/promises';
import { UsageError } from '../failures.ts';
import type { Verb } from '../verb.ts';

export const screenshot: Verb = {
  name: 'screenshot',
  usage: '[file]',
  summary: 'Save what the panel shows as a PNG: screenshot.png without a name, - is standard output',
  options: [],
  async run({ words, options, terminal, targets: find, forEach, answer }) {
    const [wanted = 'screenshot.png', more] = words;
    if (more !== undefined) throw new UsageError('One file at a time.');
    const targets = await find();
    if (wanted === '-' && (targets.areMany || options.json))
      throw new UsageError('Standard output takes the picture of one panel, without --json.');
    return forEach(targets, async (target) => {
      const picture = await target.voice.during('waiting for the picture', () =>
        target.panel.call('kiosk.screenshot', {}, { signal: terminal.signal }),
      );
      if (wanted === '-') return terminal.out(picture);
      const file = targets.areMany ? withName(wanted, target.name) : wanted;
      await writeFile(file, picture).catch((error: Error) => {
        throw new UsageError(`The picture cannot be written: ${error.message}.`);
      });
      answer(targets, target, { file, bytes: picture.length }, `${file}, ${picture.length} bytes`);
    });
  },
};

/** `hall.png` of the panel "Lobby 1" is `hall-Lobby_1.png`. */
function withName(file: string, name: string): string {
  const end = /\.[^./]*$/.exec(file)?.[0] ?? '';
  const clean = name.replace(/[^\p{L}\p{N}.-]+/gu, '_').replace(/^\.+/, '_');
  return `${file.slice(0, file.length - end.length)}-${clean}${end}`;
}
