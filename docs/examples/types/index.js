/**
 * window.container of a page that works on a panel alone.
 * @throws Error where there is none: in an ordinary browser, in a frame, on a foreign origin
 */
export function requireContainer() {
  const { container } = window;
  if (container === undefined) throw new Error('This page is not open on a panel.');
  return container;
}
