/**
 * An expression for a page: whether its document has text or pictures that nothing covers. A canvas or a video may well
 * have one colour, and text in the colour of its background is invisible, so these do not count.
 */
export const VISIBLE_CONTENT = `(() => {
  const CLEAR = /^(transparent|rgba\\(.*, 0\\))$/;
  const stands = (element) => {
    const colour = getComputedStyle(element).color;
    if (CLEAR.test(colour)) return false;
    for (let ground = element; ground !== null; ground = ground.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(ground);
      if (backgroundImage !== 'none') return true;
      if (!CLEAR.test(backgroundColor)) return backgroundColor !== colour;
    }
    return colour !== 'rgb(255, 255, 255)';
  };
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '';
  return [...document.querySelectorAll('body *')].slice(0, 5000).some((element) => {
    const isPicture = element.localName === 'img' && element.naturalWidth > 0;
    if (!isPicture && !([...element.childNodes].some(isText) && stands(element))) return false;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const { x, y, width, height } = element.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return top !== null && element.contains(top);
  });
})()`;

/**
 * An expression for a page: the text of its document and how many pictures, videos and canvases it has, also in open
 * shadow roots; empty when there is none of them. Two answers differ when the page shows something else.
 */
export const PAGE_CONTENT = `(() => {
  const roots = [document];
  let text = String(document.body?.innerText ?? '').trim();
  let pictures = 0;
  for (let i = 0; i < roots.length && i < 200; i++) {
    for (const element of [...roots[i].querySelectorAll('*')].slice(0, 5000)) {
      const { localName, shadowRoot } = element;
      if (shadowRoot) {
        roots.push(shadowRoot);
        for (const child of shadowRoot.children) if (child.localName !== 'style') text += child.innerText?.trim() ?? '';
      }
      if (/^(video|canvas|svg)$/.test(localName) || (localName === 'img' && element.naturalWidth > 0)) pictures++;
    }
  }
  return text === '' && pictures === 0 ? '' : pictures + ' ' + text.slice(0, 2000);
})()`;
