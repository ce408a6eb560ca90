from .mail_queue import MailQueue
from .mailer import Mailer
from .retry_policy import RetryPolicy

__all__ = ["MailQueue", "Mailer", "RetryPolicy"]
