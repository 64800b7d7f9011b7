import { useEffect } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { call, panel } from '../client/panel.ts';
import { dateText, settingName, t } from '../language.ts';
import type { ControlProps } from '../settingValue.ts';
import { Loading } from '../ui/card.tsx';
import { confirmed } from '../ui/dialog.tsx';
import { useCall } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';
import { changePinAtPanel } from '../ui/pinPad.tsx';

/**
 * The PIN of the panel: whether it has one, and since when. The setting kiosk.pin is only one of its two places, and an
 * empty one does not mean that there is no PIN.
 */
export function PinFact(props: ControlProps) {
  const state = useCall<ResultOf<'pin.state'>>('pin.state');
  // The setting, when it is set, is the PIN from then on.
  useEffect(() => void state.reload(), [props.entry.set]);
  const isOwnPad = panel().door === 'glass' && state.data?.pin === 'set';
  const change = async () => {
    if (isOwnPad) await changePinAtPanel();
    else props.edit();
    await state.reload();
  };
  return (
    <Loading of={state}>
      {({ pin, chosenAt }) => {
        const set = chosenAt === null ? t('pinSet') : t('pinSetAt', { date: dateText(chosenAt) });
        const text = { missing: t('keyMissing'), held: t('keyHeld'), set }[pin];
        return (
          <Fact {...props} text={text} isWarning={pin === 'missing'} act={t('changeKey')} onAct={change} />
        );
      }}
    </Loading>
  );
}

/** The token of the owner: who made it, and when. Only a person at the panel can renew it. */
export function OwnersTokenFact(props: ControlProps) {
  const list = useCall<ResultOf<'token.list'>>('token.list');
  const isRenewed = panel().door === 'glass' && props.entry.set !== true;
  const act = async () => {
    if (!isRenewed) props.edit();
    else if (await confirmed(t('rotateSure'), t('renew'))) {
      await attempt(() => call('token.rotate'), t('rotated'));
      await list.reload();
    }
  };
  return (
    <Loading of={list}>
      {({ tokens }) => {
        const madeAt = tokens.find(({ id }) => id === 'owner')?.createdAt;
        const text =
          props.entry.set === true || madeAt === undefined
            ? t('keyHeld')
            : t('tokenMadeAt', { date: dateText(madeAt) });
        return <Fact {...props} text={text} act={t(isRenewed ? 'renew' : 'changeKey')} onAct={act} />;
      }}
    </Loading>
  );
}

interface FactProps extends ControlProps {
  readonly text: string;
  readonly isWarning?: boolean;
  readonly act: string;
  readonly onAct: () => Promise<void>;
}

function Fact({ name, isHeld, text, isWarning = false, act, onAct }: FactProps) {
  return (
    <>
      <span class={isWarning ? 'warm' : ''} data-testid={`fact-${name}`}>
        {text}
      </span>
      <button
        type="button"
        data-testid={`value-${name}`}
        disabled={isHeld}
        aria-label={`${act}: ${settingName(name)}`}
        onClick={() => void onAct()}
      >
        {act}
      </button>
    </>
  );
}
