import { glassTests } from './glassTests.ts';

glassTests('the glass, with a window manager', true);
