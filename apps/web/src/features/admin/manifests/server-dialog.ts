export type ServerDialogProps = {
  userId: string;
  id: string;
  open: boolean;
  onClose: () => void;
};
