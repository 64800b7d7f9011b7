import { hostSuite } from '../suite/hostSuite.ts';
import { TestKiosk } from './testKiosk.ts';

hostSuite('ChromiumHost', (path, pages, options) => TestKiosk.open(path, pages, options));
