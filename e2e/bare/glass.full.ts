import { glassTests } from './glassTests.ts';

glassTests('the glass, with openbox', 'openbox');
glassTests('the glass, on a bare X server', false);
