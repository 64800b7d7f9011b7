import { useEffect, useState } from 'preact/hooks';
import type { Scope } from '../../contract/access.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { SeveralField } from '../../pages/manage/fields/pickFields.tsx';
import { hasText, t, timeText } from '../../pages/manage/language.ts';
import { Card, Field, Loading } from '../../pages/manage/ui/card.tsx';
import { confirmed } from '../../pages/manage/ui/dialog.tsx';
import { useCall } from '../../pages/manage/ui/hooks.ts';
import { attempt, copyText } from '../../pages/manage/ui/notice.tsx';
import type { TokenEntry } from './contract.ts';

const SCOPES = ['view', 'control', 'manage', 'terminal', 'doors'] as const;

/** The tokens of this panel, and new ones. */
export function Tokens() {
  const list = useCall<{ tokens: TokenEntry[] }>('token.list');
  return (
    <Card title={t('tokens')} wide>
      <p class="hint">{t('tokensHint')}</p>
      <Loading of={list}>
        {({ tokens }) => (
          <>
            <ul class="entries" data-testid="tokens">
              {tokens.map((token) => (
                <Entry
                  key={token.id}
                  token={token}
                  maker={tokens.find(({ id }) => id === token.by)?.name}
                  reload={list.reload}
                />
              ))}
            </ul>
            <NewToken onMade={list.reload} />
          </>
        )}
      </Loading>
    </Card>
  );
}

function scopeText(scope: string): string {
  const word = `scope_${scope}`;
  return hasText(word) ? t(word) : scope;
}

interface EntryProps {
  readonly token: TokenEntry;
  /** Name of the token that it was made with; undefined where that is unknown. */
  readonly maker: string | undefined;
  readonly reload: () => Promise<void>;
}

function Entry({ token, maker, reload }: EntryProps) {
  const { id, name, scopes, commands, createdAt, by, expiresAt, lastUsedAt, lastAddress } = token;
  const revoke = async () => {
    if (!(await confirmed(t('revokeSure', { name }), t('revoke')))) return;
    await attempt(() => call('token.revoke', { id }), t('revoked'));
    await reload();
  };
  const used =
    lastUsedAt === null
      ? t('neverUsed')
      : t('lastUsed', { time: timeText(lastUsedAt), address: lastAddress ?? '–' });
  const time = timeText(createdAt);
  const made = by === 'panel' ? t('madeAtPanel', { time }) : maker && t('madeBy', { time, name: maker });
  const until = expiresAt === null ? t('expiresNever') : `${t('expires')} ${timeText(expiresAt)}`;
  return (
    <li data-testid={`token-${id}`}>
      <div class="grow">
        <strong>{name}</strong>
        <p>{(commands ?? scopes.map(scopeText)).join(', ')}</p>
        <p class="hint">{[used, until, made].filter(Boolean).join(' · ')}</p>
      </div>
      {id !== 'owner' && (
        <button type="button" class="danger" onClick={() => void revoke()}>
          {t('revoke')}
        </button>
      )}
    </li>
  );
}

function NewToken({ onMade }: { onMade: () => Promise<void> }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['view']);
  /** Instead of scopes. */
  const [commands, setCommands] = useState<readonly string[]>();
  const chosen = commands ?? scopes;
  const [day, setDay] = useState('');
  const [made, setMade] = useState<string>();
  const make = () =>
    attempt(async () => {
      // To the end of that day, here.
      const expiresAt = day === '' ? undefined : new Date(`${day}T23:59:59`).toISOString();
      const { token } = await call('token.create', {
        name: name.trim(),
        ...(commands === undefined ? { scopes: [...scopes] } : { commands: [...commands] }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
      setMade(token);
      setName('');
      await onMade();
    });
  return (
    <form
      class="new-token"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <h3>{t('newToken')}</h3>
      <Field label={t('name')}>
        <input
          type="text"
          required
          maxLength={64}
          data-testid="token-name"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </Field>
      <fieldset>
        <legend>{t('scopes')}</legend>
        <div class="row">
          {(['tokenScopes', 'tokenCommands'] as const).map((kind) => (
            <label key={kind} class="check">
              <input
                type="radio"
                name="opens"
                data-testid={kind}
                checked={(kind === 'tokenCommands') === (commands !== undefined)}
                onChange={() => setCommands(kind === 'tokenCommands' ? [] : undefined)}
              />
              {t(kind)}
            </label>
          ))}
        </div>
        {commands !== undefined && <CommandChoice chosen={commands} onChosen={setCommands} />}
        {(commands === undefined ? SCOPES : []).map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              data-testid={`scope-${scope}`}
              checked={scopes.includes(scope)}
              onChange={({ currentTarget }) =>
                setScopes(
                  SCOPES.filter((one) => (one === scope ? currentTarget.checked : scopes.includes(one))),
                )
              }
            />
            {scopeText(scope)} <code class="key">{scope}</code>
          </label>
        ))}
      </fieldset>
      <Field label={t('expires')} hint={t('expiresNever')}>
        <input
          type="date"
          data-testid="token-expires"
          value={day}
          onInput={({ currentTarget }) => setDay(currentTarget.value)}
        />
      </Field>
      <div class="row">
        <button type="submit" class="primary" data-testid="make-token" disabled={chosen.length === 0}>
          {t('makeToken')}
        </button>
      </div>
      {made !== undefined && (
        <div role="status">
          <p class="warm">{t('tokenOnce')}</p>
          <code class="token" data-testid="made-token">
            {made}
          </code>
          <button type="button" onClick={() => void copyText(made)}>
            {t('copy')}
          </button>
        </div>
      )}
    </form>
  );
}

/** The commands that a token may open, with what they do; their list is fetched only here. */
function CommandChoice(props: {
  readonly chosen: readonly string[];
  readonly onChosen: (commands: readonly string[]) => void;
}) {
  const [choices, setChoices] = useState<readonly string[]>([]);
  useEffect(() => {
    void import('../approval/commandWords.generated.ts').then(({ commandWords }) =>
      setChoices(Object.keys(commandWords)),
    );
  }, []);
  return (
    <SeveralField
      name="commands"
      label={t('tokenCommands')}
      field={{ kind: 'several', choices }}
      draft={props.chosen}
      onDraft={(commands) => props.onChosen(commands as readonly string[])}
      path="commands"
      mistake={undefined}
      testId="token-commands"
    />
  );
}
