import { rareSuite } from '../testing/suite/hostSuite.ts';
import { TestKiosk } from '../testing/testKiosk.ts';

rareSuite('ChromiumHost', (path, pages, options) => TestKiosk.open(path, pages, options));
