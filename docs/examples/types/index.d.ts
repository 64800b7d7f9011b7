import type { Container } from './container.js';

export type * from './container.js';
/**
 * window.container of a page that works on a panel alone.
 * @throws Error where there is none: in an ordinary browser, in a frame, on a foreign origin
 */
export declare function requireContainer(): Container;
