// The service from its sources. A bundle starts with bundledMain.ts instead.
import { browserAhead } from './start/browserAhead.ts';

const given = process.argv.slice(2);
const ahead = await browserAhead(given, process.env);
// Not earlier: loading the service takes as long as Node's own start twice over.
const { runService } = await import('./service.ts');
await runService(given, ahead);
