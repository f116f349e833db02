import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleMinus from 'lucide-react/icons/circle-minus';
import TriangleAlert from 'lucide-react/icons/triangle-alert';

const looks = {
  passed: { Icon: CircleCheck, color: 'text-good' },
  warned: { Icon: TriangleAlert, color: 'text-accent' },
  failed: { Icon: CircleAlert, color: 'text-bad' },
  'not-reached': { Icon: CircleDashed, color: 'text-faint' },
  skipped: { Icon: CircleMinus, color: 'text-faint' },
} as const;

export function ResultIcon({ status }: { status: keyof typeof looks }) {
  const { Icon, color } = looks[status];
  return <Icon aria-hidden size={16} className={color} />;
}
