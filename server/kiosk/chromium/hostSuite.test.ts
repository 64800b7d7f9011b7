import { hostSuite } from '../testing/suite/hostSuite.ts';
import { layerTests } from '../testing/suite/layerTests.ts';
import type { OpenKiosk } from '../testing/suite/openKiosk.ts';
import { TestKiosk } from '../testing/testKiosk.ts';

const open: OpenKiosk = (path, pages, options) => TestKiosk.open(path, pages, options);

hostSuite('ChromiumHost', open);
layerTests(open);
