import { hostSuite } from '../testing/suite/hostSuite.ts';
import { TestKiosk } from '../testing/testKiosk.ts';

hostSuite('ChromiumHost', (path, pages, options) => TestKiosk.open(path, pages, options));
