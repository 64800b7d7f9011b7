// What RAUC runs as root on an image to read and change the choice of the boot loader: build/image/overlay/etc/rauc/system.conf
// names it. One question in its arguments, the answer on its standard output.
import { GRUBENV } from '../../parts/update/grubenv.ts';
import { bootSlot } from '../../platform/bootSlot.ts';
import { answerRauc } from './bootBackend.ts';

try {
  const answer = await answerRauc(process.argv.slice(2), { slot: bootSlot(), grubenv: GRUBENV });
  if (answer !== '') process.stdout.write(`${answer}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
