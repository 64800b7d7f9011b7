import { element } from './dom.ts';

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/;
const STRING = /'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/;
const WORD =
  /\b(?:import|export|from|const|let|function|async|await|return|if|else|for|of|while|new|class|type|interface|try|catch|as|readonly|void)\b/;
const TOKEN = new RegExp(
  `(?<comment>${COMMENT.source})|(?<string>${STRING.source})|(?<word>${WORD.source})`,
  'g',
);

/** The "Code" buttons: each shows the source of the module that drives its card. */
export function startCodeView(): void {
  const dialog = element('code-dialog', HTMLDialogElement);
  const title = element('code-title', HTMLElement);
  const text = element('code-text', HTMLElement);

  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-source]')) {
    button.addEventListener('click', async () => {
      const file = button.dataset.source!;
      title.textContent = `renderer-demo/${file}`;
      text.replaceChildren('Loading…');
      dialog.showModal();
      text.replaceChildren(...colored(await sourceOf(file)));
      text.parentElement!.scrollTop = 0;
    });
  }
  element('code-close', HTMLButtonElement).addEventListener('click', () => dialog.close());
  // A touch outside the dialog closes it, as people expect.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
}

async function sourceOf(file: string): Promise<string> {
  try {
    // Without `?source` the panel serves the file to run: with blanks in place of the types.
    const response = await fetch(`${file}?source`);
    if (response.ok) return await response.text();
  } catch {
    // Reported below: the reason does not matter to the reader.
  }
  return `// The source could not be loaded. You find it in the file renderer-demo/${file}.`;
}

/** Comments, strings and keywords in colours. */
function colored(source: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of source.matchAll(TOKEN)) {
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0];
    const span = document.createElement('span');
    span.className = `code-${kind}`;
    span.textContent = match[0];
    parts.push(source.slice(end, match.index), span);
    end = match.index + match[0].length;
  }
  parts.push(source.slice(end));
  return parts;
}
