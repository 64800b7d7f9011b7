import { everydaySuite } from '../testing/suite/hostSuite.ts';
import { TestKiosk } from '../testing/testKiosk.ts';

everydaySuite('ChromiumHost', (path, pages, options) => TestKiosk.open(path, pages, options));
