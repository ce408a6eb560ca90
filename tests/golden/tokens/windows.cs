using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Example.Scheduling
{
	/// <summary>Tabs and carriage returns, as some editors write them.</summary>
	public sealed class RetryPolicy
	{
		private readonly int _maxAttempts;
		private readonly TimeSpan _firstDelay;

		public RetryPolicy(int maxAttempts, TimeSpan firstDelay)
		{
			if (maxAttempts < 1)
			{
				throw new ArgumentOutOfRangeException(nameof(maxAttempts));
			}

			_maxAttempts = maxAttempts;
			_firstDelay = firstDelay;
		}

		public async Task<T> RunAsync<T>(Func<int, Task<T>> work)
		{
			var errors = new List<Exception>();
			var delay = _firstDelay;

			for (var attempt = 1; attempt <= _maxAttempts; attempt++)
			{
				try
				{
					return await work(attempt).ConfigureAwait(false);
				}
				catch (Exception e) when (IsTransient(e))
				{
					errors.Add(e);
					if (attempt < _maxAttempts)
					{
						await Task.Delay(delay).ConfigureAwait(false);
						delay = TimeSpan.FromTicks(Math.Min(delay.Ticks * 2, TimeSpan.TicksPerMinute));
					}
				}
			}

			throw new AggregateException($"gave up after {_maxAttempts} attempts", errors);
		}

		private static bool IsTransient(Exception e)
		{
			switch (e)
			{
				case TimeoutException _:
				case OperationCanceledException _:
					return true;
				case System.Net.Http.HttpRequestException http:
					return http.InnerException is System.Net.Sockets.SocketException;
				default:
					return false;
			}
		}
	}
}
// Further types of the same file.
public enum RetryReason
{
	Timeout = 1,
	Throttled = 2,
	ConnectionReset = 3,
}

public interface IRetryObserver
{
	void OnRetry(RetryReason reason, int attempt, System.TimeSpan delay);
	void OnGiveUp(System.AggregateException errors);
}
