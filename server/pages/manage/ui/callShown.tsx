import { useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { webOrigin } from '../../../parts/fleet/viewFacts.ts';
import { type Params, panel } from '../client/panel.ts';
import { curlFor, pageCodeFor, rowOf } from '../client/requests.ts';
import { t } from '../language.ts';
import { useCall } from './hooks.ts';
import { copyText } from './notice.tsx';
import { developerMode, useStore } from './store.ts';

interface CallShownProps {
  readonly command: string;
  readonly params?: Params;
}

/**
 * How a program makes the same call as the button beside it: over HTTP, and in the page of a project. Both are made from
 * the table that the app itself calls by.
 */
export function CallShown({ command, params = {} }: CallShownProps) {
  const [isOpen, setOpen] = useState(false);
  const isDeveloper = useStore(developerMode) === 'on';
  if (!isDeveloper || rowOf(command) === undefined) return null;
  return (
    <details
      class="call"
      data-testid={`call-${command}`}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary aria-label={t('callOf', { command })}>{t('callWord')}</summary>
      {isOpen && <Words command={command} params={params} />}
    </details>
  );
}

function Words({ command, params }: { command: string; params: Params }) {
  const row = rowOf(command)!;
  const inPage = pageCodeFor(command, row, params);
  return (
    <div class="call-words">
      <Code name="curl" text={curlFor(row, params, usePanelOrigin())} />
      {inPage === undefined ? (
        <p class="hint">{t('callNotInPage', { command })}</p>
      ) : (
        <Code name={t('callInPage')} text={inPage} />
      )}
      {row.scope !== null && <p class="hint">{t('callScope', { scope: row.scope })}</p>}
    </div>
  );
}

function Code({ name, text }: { name: string; text: string }) {
  return (
    <div class="call-code">
      <div class="row">
        <span class="grow">{name}</span>
        <button type="button" aria-label={t('copyOf', { name })} onClick={() => void copyText(text)}>
          {t('copy')}
        </button>
      </div>
      <pre>{text}</pre>
    </div>
  );
}

/** The panel's own address, as callers in the house reach it; that of the glass works only there. */
function usePanelOrigin(): string {
  const { data } = useCall<ResultOf<'system.info'>>('system.info');
  if (panel().door === 'browser') return location.origin;
  return data === undefined ? '' : webOrigin(data.address, data.https?.port ?? null);
}
