import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/**
 * What is wrong with the look of a page as it is now: text or a control that is cut, or lies on another one, a word that
 * is broken, a page that is wider than its window. Words of machines (addresses, keys, hashes) may be broken.
 */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.className} "${(element.textContent ?? '').trim().slice(0, 40)}"`;
    const isSeen = (element: Element) =>
      element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
      getComputedStyle(element).clipPath === 'none';
    const excess = document.documentElement.scrollWidth - innerWidth;
    if (excess > 0) faults.push(`the page is ${excess} px wider than its window`);

    const all = [...document.querySelectorAll('body *')].filter(
      (element) => element instanceof HTMLElement && isSeen(element),
    ) as HTMLElement[];
    const scrolls = (element: Element | null, axis: 'X' | 'Y'): boolean => {
      if (element === null || element === document.body) return false;
      const style = getComputedStyle(element);
      const value = axis === 'X' ? style.overflowX : style.overflowY;
      return value === 'auto' || value === 'scroll' || scrolls(element.parentElement, axis);
    };
    for (const element of all) {
      const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
      if (!hasText && !element.matches('button, select')) continue;
      // A line that is cut with … says so itself; its whole text is elsewhere.
      if (
        /hidden|clip/.test(overflowX) &&
        textOverflow !== 'ellipsis' &&
        element.scrollWidth > element.clientWidth + 1
      )
        faults.push(`cut at its right: ${name(element)}`);
      if (/hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 2)
        faults.push(`cut at its bottom: ${name(element)}`);
      if (element.tagName === 'BUTTON' && element.scrollWidth > element.clientWidth + 1)
        faults.push(`wider than its button: ${name(element)}`);
      if ((box.right > innerWidth + 1 || box.left < -1) && box.width > 0 && !scrolls(element, 'X'))
        faults.push(`beyond the window: ${name(element)}`);
    }

    // Texts and controls must not lie on each other; what floats above the page may.
    const isFloating = (element: Element | null): boolean =>
      element !== null &&
      (/fixed|sticky|absolute/.test(getComputedStyle(element).position) || isFloating(element.parentElement));
    const solid = all.filter((element) => {
      const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
      return (
        (isText || element.matches('button, input:not(.switch), select, textarea')) && !isFloating(element)
      );
    });
    const boxes = solid
      .filter((element) => !scrolls(element, 'Y'))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(
        ({ box, element }) =>
          box.width > 0 && box.height > 0 && getComputedStyle(element).display !== 'inline',
      );
    boxes.sort((one, other) => one.box.top - other.box.top);
    for (const [at, one] of boxes.entries())
      for (const other of boxes.slice(at + 1)) {
        if (other.box.top >= one.box.bottom - 1) break;
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
        const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (width > 1 && height > 1)
          faults.push(`on each other: ${name(one.element)} and ${name(other.element)}`);
      }

    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const parent = node.parentElement!;
      if (parent.closest('code, pre, textarea, option, script, [hidden], .lines, .token') || !isSeen(parent))
        continue;
      const text = node.textContent ?? '';
      for (const word of text.matchAll(/\S+/g)) {
        // Addresses, keys, ids and the like.
        if (/[/:@_=\d]|\w\.\w/.test(word[0].slice(0, -1))) continue;
        for (const part of word[0].matchAll(/\p{L}{2,}/gu)) {
          range.setStart(node, word.index + part.index);
          range.setEnd(node, word.index + part.index + part[0].length);
          const lines = new Set(
            [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)),
          );
          if (lines.size > 1) faults.push(`broken word: ${part[0]}`);
        }
      }
    }

    // Letters of the app have 13 px or more, those of the glass 16.
    const least = document.documentElement.dataset.door === 'glass' ? 16 : 13;
    for (const element of all) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
      const size = Number.parseFloat(getComputedStyle(element).fontSize);
      if (hasText && size < least - 0.01) faults.push(`letters of ${size} px: ${name(element)}`);
    }
    return [...new Set(faults)];
  });
}

/** Colours whose contrast is too low, as axe-core finds them (WCAG 1.4.3). */
export async function contrastFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .withRules(['color-contrast'])
    .analyze();
  return violations.flatMap(({ nodes }) => nodes.map(({ html }) => `contrast: ${html.slice(0, 120)}`));
}
