"""Takes messages off the queue and hands them to the mail server."""

import smtplib
import time
from email.message import EmailMessage

from .mail_queue import MailQueue, Message
from .retry_policy import RetryPolicy


class DeliveryError(Exception):
    """The mail server refused the message for now."""


class Mailer:
    def __init__(self, queue: MailQueue, host: str, policy: RetryPolicy = RetryPolicy()) -> None:
        self.queue = queue
        self.host = host
        self.policy = policy

    def run_once(self, now: float) -> bool:
        message = self.queue.pop_due(now)
        if message is None:
            return False
        try:
            self.deliver(message)
        except DeliveryError:
            self.reschedule(message, now)
        return True

    def reschedule(self, message: Message, now: float) -> None:
        message.attempt += 1
        if self.policy.should_give_up(message.attempt):
            self.queue.bury(message)
            return
        self.queue.push(message, now + self.policy.delay_for(message.attempt))

    def deliver(self, message: Message) -> None:
        mail = EmailMessage()
        mail["To"] = message.recipient
        mail["Subject"] = message.subject
        mail.set_content(message.text)
        try:
            with smtplib.SMTP(self.host) as smtp:
                smtp.send_message(mail)
        except (OSError, smtplib.SMTPException) as error:
            raise DeliveryError(str(error)) from error

    def run_forever(self) -> None:
        while True:
            if not self.run_once(time.time()):
                time.sleep(1.0)
