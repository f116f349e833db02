import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleMinus from 'lucide-react/icons/circle-minus';
import TriangleAlert from 'lucide-react/icons/triangle-alert';

const looks = {
  passed: { Icon: CircleCheck, colour: 'text-good' },
  warned: { Icon: TriangleAlert, colour: 'text-accent' },
  failed: { Icon: CircleAlert, colour: 'text-bad' },
  'not-reached': { Icon: CircleDashed, colour: 'text-faint' },
  skipped: { Icon: CircleMinus, colour: 'text-faint' },
} as const;

export function ResultIcon({ status }: { status: keyof typeof looks }) {
  const { Icon, colour } = looks[status];
  return <Icon aria-hidden size={16} className={colour} />;
}
