// Makes the outputs safe after the service has ended, also when it was killed: systemd runs it as ExecStopPost of
// build/linux/systemd/faceplate.service. It loads little, for a relay may be on meanwhile.
import { systemDeviceIo } from '../../platform/native/ioctl.ts';
import { makeSafe } from './makeSafe.ts';

process.exitCode = makeSafe(process.env.FACEPLATE_DATA_DIR, systemDeviceIo, (line) =>
  process.stderr.write(`${line}\n`),
);
